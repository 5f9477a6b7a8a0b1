/**
 * @fileoverview Checks every answer, cheaply: the first to a request is parsed and looked at, and those after it must
 * be the same bytes, or be parsed and looked at themselves.
 * @module bench/lib/check
 */
import { Buffer } from "node:buffer";
import type { Variant } from "./cases.js";

/** The checks of one server's answers to one case. */
export class Checker {
  readonly #variants: readonly Variant[];
  readonly #texts: (string | undefined)[] = [];
  readonly #bodies: (Buffer | undefined)[] = [];
  /** The first wrong answer, for the report. */
  firstWrong: string | undefined;

  constructor(variants: readonly Variant[]) {
    this.#variants = variants;
  }

  /** Whether a text is the right answer to the request of this index. */
  takesText(index: number, text: string): boolean {
    if (text === this.#texts[index]) return true;
    const isRight = this.#looksRight(index, text);
    if (isRight) this.#texts[index] = text;
    return isRight;
  }

  /** The same for a part of a buffer. */
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
      // It is no JSON: as wrong as any other.
    }
    this.firstWrong ??= text.slice(0, 300);
    return false;
  }
}

/** The last message of an event stream; any other text as it is. */
function eventData(text: string): string {
  if (text.startsWith("{")) return text;
  const lines = text.split("\n").filter((line) => line.startsWith("data:") && line.length > 6);
  return lines.at(-1)?.slice(5).trim() ?? text;
}
