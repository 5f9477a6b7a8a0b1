/**
 * @fileoverview Server-sent events: the data in them, however the text is cut and whichever line ends it has.
 * @module agent/models/event-reader
 */

/** A line, or an event, that is too long. */
export class EventStreamError extends Error {
  override readonly name = "EventStreamError";
}

/** Reads the data of events from a stream of text. */
export class EventReader {
  readonly #maxChars: number;
  /** The parts of a line that has not ended. */
  #line = "";
  #data: string | undefined;
  #endedWithReturn = false;
  #hasData = false;
  #hasOther = false;

  /** @param maxChars that a line, and the data of one event, may have */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Whether this is no event stream at all: lines came, and none of them was one of an event. */
  get isStrange(): boolean {
    return this.#hasOther && !this.#hasData;
  }

  /** Takes in the next part of the text and gives the data of every event that it ends. */
  *feed(text: string): Generator<string> {
    let start = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#endedWithReturn = text.endsWith("\r");
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = start;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      const data = this.#endLine(text.slice(start, end.index));
      start = ends.lastIndex;
      if (data !== undefined) yield data;
    }
    this.#line += text.slice(start);
    this.#check(this.#line);
  }

  /** Ends the text. An event that lacks only the empty line behind it is given: some servers leave that out. */
  *finish(): Generator<string> {
    for (const line of [this.#line, ""]) {
      this.#line = "";
      const data = this.#endLine(line);
      if (data !== undefined) yield data;
    }
  }

  #endLine(rest: string): string | undefined {
    const line = this.#line + rest;
    this.#line = "";
    this.#check(line);
    if (line === "") {
      const data = this.#data;
      this.#data = undefined;
      return data;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?)?([^]*)$/.exec(line) ?? [];
    if (field === "data") {
      this.#hasData = true;
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      this.#check(this.#data);
    } else if (!FIELDS.some((name) => name.startsWith(field))) this.#hasOther = true;
    return undefined;
  }

  #check(text: string): void {
    if (text.length > this.#maxChars) throw new EventStreamError("A line or an event is too long");
  }
}

/** What a line may begin with; a comment is a field without a name, and a connection may break off in any. */
const FIELDS = ["data", "event", "id", "retry"];
