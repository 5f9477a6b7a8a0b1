/**
 * @fileoverview Checks every response at low cost. The first response to a request is parsed and checked. Later ones
 * must have the same bytes, or are parsed and checked too.
 * @module bench/lib/check
 */
import { Buffer } from "node:buffer";
import type { Variant } from "./cases.js";

/** Checks the responses of one server to one case. */
export class Checker {
  readonly #variants: readonly Variant[];
  readonly #texts: (string | undefined)[] = [];
  readonly #bodies: (Buffer | undefined)[] = [];
  /** First wrong response, for the report. */
  firstWrong: string | undefined;

  constructor(variants: readonly Variant[]) {
    this.#variants = variants;
  }

  /** Returns true if a text is the correct response to the request with this index. */
  takesText(index: number, text: string): boolean {
    if (text === this.#texts[index]) return true;
    const isRight = this.#looksRight(index, text);
    if (isRight) this.#texts[index] = text;
    return isRight;
  }

  /** Returns true if a part of a buffer is the correct response. */
  takesBytes(index: number, buffer: Buffer, start: number, end: number): boolean {
    const known = this.#bodies[index];
    if (known !== undefined && known.length === end - start && known.compare(buffer, start, end) === 0)
      return true;
    const isRight = this.#looksRight(index, buffer.toString("utf8", start, end));
    if (isRight) this.#bodies[index] = Buffer.from(buffer.subarray(start, end));
    return isRight;
  }

  #looksRight(index: number, text: string): boolean {
    const variant = this.#variants[index];
    try {
      const { id, result } = JSON.parse(eventData(text)) as {
        readonly id?: unknown;
        readonly result?: unknown;
      };
      if (variant !== undefined && id === variant.id && result !== undefined && variant.check(result))
        return true;
    } catch {
      // Invalid JSON counts as a wrong response.
    }
    this.firstWrong ??= text.slice(0, 300);
    return false;
  }
}

/** Returns the last message of an event stream. Other text is returned unchanged. */
function eventData(text: string): string {
  if (text.startsWith("{")) return text;
  const lines = text.split("\n").filter((line) => line.startsWith("data:") && line.length > 6);
  return lines.at(-1)?.slice(5).trim() ?? text;
}
