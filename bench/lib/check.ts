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

  /** Returns true if the newest correct response to the first request is the same, except for the IDs of events. */
  receivedSameAs(other: Checker): boolean {
    const [own, others] = [this.#bodies[0], other.#bodies[0]];
    if (own === undefined || others === undefined || own.equals(others)) return true;
    return withoutEventIds(own) === withoutEventIds(others);
  }

  /** Returns true if an object is the correct result of the request with this index. */
  takesResult(index: number, result: unknown): boolean {
    const isRight =
      typeof result === "object" && result !== null && this.#variants[index]?.check(result) === true;
    if (!isRight) this.firstWrong ??= (JSON.stringify(result) ?? "no result").slice(0, 300);
    return isRight;
  }

  #looksRight(index: number, text: string): boolean {
    const variant = this.#variants[index];
    try {
      const messages = messagesOf(text);
      const { id, result } = messages.at(-1) ?? {};
      if (
        variant !== undefined &&
        id === variant.id &&
        result !== undefined &&
        variant.check(result) &&
        hasProgress(messages.slice(0, -1), variant)
      )
        return true;
    } catch {
      // Invalid JSON counts as a wrong response.
    }
    this.firstWrong ??= text.slice(0, 300);
    return false;
  }
}

function withoutEventIds(body: Buffer): string {
  return body.toString().replaceAll(/^id: .*\n/gm, "");
}

/** Members of a message that the checks read. */
interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly progressToken?: unknown; readonly progress?: unknown };
  readonly result?: unknown;
}

/** Returns true if the notifications before a response are the expected progress, in order. */
function hasProgress(messages: readonly Message[], { id, progress }: Variant): boolean {
  return (
    messages.length === progress &&
    messages.every(
      ({ method, params }, index) =>
        method === "notifications/progress" && params?.progressToken === id && params.progress === index + 1,
    )
  );
}

/** Parses the messages of an event stream, or the one message of another text. */
function messagesOf(text: string): readonly Message[] {
  const texts = text.startsWith("{") ? [text] : eventData(text);
  return texts.map((one) => JSON.parse(one) as Message);
}

/** Returns the data of the events in an event stream, except empty ones. */
export function eventData(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trim())
    .filter((data) => data !== "");
}
