/**
 * @fileoverview Parses server-sent events, as defined by the HTML standard. Text may arrive in chunks of any size and
 * with any line endings.
 * @module internal/event-stream
 */

/** Parsed server-sent event. */
export interface ServerEvent {
  /** Lines of all `data` fields, joined by line feeds. `undefined` if there are no `data` fields. */
  readonly data: string | undefined;
  readonly id: string | undefined;
  /** Reconnection time in milliseconds. */
  readonly retryMs: number | undefined;
}

const ERROR_NAME = "EventStreamError";

/** Recognizes the error that `EventReader` throws for an event that is too long. */
export function isEventStreamError(error: unknown): error is Error {
  return error instanceof Error && error.name === ERROR_NAME;
}

/** Parses events from text that arrives in chunks. */
export class EventReader {
  readonly #maxChars: number;
  /** Beginning of a line whose end has not arrived yet. */
  #line = "";
  #data: string | undefined;
  /** Number of pieces that the line and the data consist of. */
  #pieces = 0;
  #id: string | undefined;
  #retryMs: number | undefined;
  #endedWithReturn = false;
  #hasData = false;
  #hasOther = false;

  /** @param maxChars maximum length of an event's data plus the incomplete line. Many short pieces count more. */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Memory of the event that has not ended yet, in characters. */
  get heldChars(): number {
    return this.#sizeWith(this.#line);
  }

  /** True if the text does not look like an event stream: it has lines with unknown fields and no `data` lines. */
  get isStrange(): boolean {
    return this.#hasOther && !this.#hasData;
  }

  /** Adds a chunk of text and yields every event that it completes. @throws if an event is longer than `maxChars` */
  *feed(text: string): Generator<ServerEvent> {
    // A chunk may end between the two characters of a CRLF.
    let start = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#endedWithReturn = text.endsWith("\r");
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = start;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      const event = this.#endLine(text.slice(start, end.index));
      start = ends.lastIndex;
      if (event !== undefined) yield event;
    }
    if (start < text.length) this.#pieces++;
    this.#line += text.slice(start);
    this.#check(this.#line);
  }

  /** Ends the text and yields the last event. Some servers omit the empty line after it, so the line is optional. */
  *finish(): Generator<ServerEvent> {
    for (const line of [this.#line, ""]) {
      this.#line = "";
      const event = this.#endLine(line);
      if (event !== undefined) yield event;
    }
  }

  #endLine(rest: string): ServerEvent | undefined {
    const line = this.#line + rest;
    this.#line = "";
    this.#check(line);
    if (line === "") return this.#endEvent();
    const [, field = "", value = ""] = /^([^:]*)(?:: ?)?([^]*)$/.exec(line) ?? [];
    if (field === "data") {
      this.#hasData = true;
      this.#pieces++;
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (field === "id") {
      if (/^[\x20-\x7e]{1,1000}$/.test(value)) this.#id = value;
    } else if (field === "retry") {
      if (/^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
    } else if (!FIELDS.some((name) => name.startsWith(field))) this.#hasOther = true;
    return undefined;
  }

  #endEvent(): ServerEvent | undefined {
    const event = { data: this.#data, id: this.#id, retryMs: this.#retryMs };
    this.#data = this.#id = this.#retryMs = undefined;
    this.#pieces = 0;
    return event.data === undefined && event.id === undefined && event.retryMs === undefined
      ? undefined
      : event;
  }

  #sizeWith(line: string): number {
    const extra = Math.max(0, this.#pieces - FREE_PIECES) * PIECE_CHARS;
    return line.length + (this.#data?.length ?? 0) + extra;
  }

  #check(line: string): void {
    if (this.#sizeWith(line) > this.#maxChars) {
      const error = new Error(
        `The stream contains an event that is too long (limit: ${this.#maxChars} characters).`,
      );
      error.name = ERROR_NAME;
      throw error;
    }
  }
}

/**
 * Characters that a piece of text counts as, in addition to its own. A string that grows by single characters takes as
 * much memory for each of them. The first pieces are free.
 */
const PIECE_CHARS = 32;
const FREE_PIECES = 1_000;

/**
 * Field names of the format. Prefixes match too: a comment has an empty name, and a broken connection may cut a name
 * short.
 */
const FIELDS = ["data", "event", "id", "retry"];
