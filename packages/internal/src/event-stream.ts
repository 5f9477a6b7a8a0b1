/**
 * @fileoverview Reads server-sent events, however their text is cut and whichever line ends it has (the HTML
 * standard's event stream format).
 * @module internal/event-stream
 */

/** One event of a stream. */
export interface ServerEvent {
  /** `undefined` in an event that has none. */
  readonly data: string | undefined;
  readonly id: string | undefined;
  /** When to come back, in milliseconds. */
  readonly retryMs: number | undefined;
}

const ERROR_NAME = "EventStreamError";

/** Recognizes the error that `EventReader` throws for an event that is too long. */
export function isEventStreamError(error: unknown): error is Error {
  return error instanceof Error && error.name === ERROR_NAME;
}

/** Reads events from text that arrives in parts. */
export class EventReader {
  readonly #maxChars: number;
  /** What has come of a line that has not ended. */
  #line = "";
  #data: string | undefined;
  #id: string | undefined;
  #retryMs: number | undefined;
  #endedWithReturn = false;
  #hasData = false;
  #hasOther = false;

  /** @param maxChars that the data of an event and the line under way may have together */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Whether this is no event stream at all: lines came, and none of them was one of an event. */
  get isStrange(): boolean {
    return this.#hasOther && !this.#hasData;
  }

  /** Takes in the next part of the text and gives every event that it ends. @throws if an event is too long */
  *feed(text: string): Generator<ServerEvent> {
    // A line end of two characters may be cut between them.
    let start = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#endedWithReturn = text.endsWith("\r");
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = start;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      const event = this.#endLine(text.slice(start, end.index));
      start = ends.lastIndex;
      if (event !== undefined) yield event;
    }
    this.#line += text.slice(start);
    this.#check(this.#line);
  }

  /** Ends the text. An event that lacks only the empty line behind it is given: some servers leave that out. */
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
    return event.data === undefined && event.id === undefined && event.retryMs === undefined
      ? undefined
      : event;
  }

  #check(line: string): void {
    if (line.length + (this.#data?.length ?? 0) > this.#maxChars) {
      const error = new Error(`An event is longer than ${this.#maxChars} characters`);
      error.name = ERROR_NAME;
      throw error;
    }
  }
}

/** What a line may begin with; a comment is a field without a name, and a connection may break off in any. */
const FIELDS = ["data", "event", "id", "retry"];
