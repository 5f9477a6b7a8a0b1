/**
 * @fileoverview Parses server-sent events, as defined by the HTML standard. Bytes may arrive in chunks of any size and
 * with any line endings.
 * @module internal/event-stream
 */
import { ByteCollector } from "./byte-collector.js";

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

/**
 * Parses events from bytes that arrive in chunks. An event that has not ended is kept as bytes: as text, each piece would
 * take up to four times its size in the heap.
 */
export class EventReader {
  readonly #maxBytes: number;
  /** Beginning of a line whose end has not arrived yet. */
  readonly #line: ByteCollector;
  /** Values of the `data` fields of the current event, joined by line feeds. */
  readonly #data: ByteCollector;
  #isDataKept = false;
  /** Value of the first `data` field, as a view of the current chunk, while it is not kept in `#data`. */
  #view: Uint8Array | undefined;
  #id: string | undefined;
  #retryMs: number | undefined;
  #isFirstLine = true;
  #endedWithReturn = false;
  #hasData = false;
  #hasOther = false;

  /** @param maxBytes maximum size of an event's data plus the incomplete line */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#line = new ByteCollector(maxBytes);
    this.#data = new ByteCollector(maxBytes);
  }

  /** Memory of the event that has not ended yet, in bytes. */
  get heldBytes(): number {
    return this.#line.allocatedBytes + this.#data.allocatedBytes;
  }

  /** True if the text does not look like an event stream: it has lines with unknown fields and no `data` lines. */
  get isStrange(): boolean {
    return this.#hasOther && !this.#hasData;
  }

  /** Adds a chunk and yields every event that it completes. @throws if an event is longer than `maxBytes` */
  *feed(chunk: Uint8Array): Generator<ServerEvent> {
    // A chunk may end between the two characters of a CRLF.
    let start = this.#endedWithReturn && chunk[0] === LINE_FEED ? 1 : 0;
    if (chunk.length > 0) this.#endedWithReturn = chunk.at(-1) === RETURN;
    let feed = chunk.indexOf(LINE_FEED, start);
    let back = chunk.indexOf(RETURN, start);
    while (feed !== -1 || back !== -1) {
      const end = back !== -1 && (feed === -1 || back < feed) ? back : feed;
      const event = this.#endLine(chunk.subarray(start, end));
      start = end + (end === back && feed === end + 1 ? 2 : 1);
      // Each search starts only when its last result is used up, so that no byte is searched twice.
      if (feed !== -1 && feed < start) feed = chunk.indexOf(LINE_FEED, start);
      if (back !== -1 && back < start) back = chunk.indexOf(RETURN, start);
      if (event !== undefined) yield event;
    }
    this.#append(this.#line, chunk.subarray(start));
    this.#keepView();
  }

  /** Ends the stream and yields the last event. Some servers omit the empty line after it, so the line is optional. */
  *finish(): Generator<ServerEvent> {
    for (let line = 0; line < 2; line++) {
      const event = this.#endLine(NO_BYTES);
      if (event !== undefined) yield event;
    }
  }

  #endLine(rest: Uint8Array): ServerEvent | undefined {
    const line = this.#withoutMark(this.#completeLine(rest));
    if (line.length === 0) return this.#endEvent();
    const colon = line.indexOf(COLON);
    const field = decode(line.subarray(0, Math.min(colon === -1 ? line.length : colon, MAX_FIELD)));
    const value = line.subarray(colon === -1 ? line.length : colon + (line[colon + 1] === SPACE ? 2 : 1));
    if (field === "data") this.#addData(value);
    else if (field === "id") {
      const text = decode(value.subarray(0, MAX_ID + 1));
      if (/^[\x20-\x7e]{1,1000}$/.test(text)) this.#id = text;
    } else if (field === "retry") {
      const text = decode(value.subarray(0, MAX_ID));
      if (/^\d{1,9}$/.test(text)) this.#retryMs = Number(text);
    } else if (!FIELDS.some((name) => name.startsWith(field))) this.#hasOther = true;
    return undefined;
  }

  #completeLine(rest: Uint8Array): Uint8Array {
    if (this.#line.length === 0) {
      this.#assertFits(rest.length);
      return rest;
    }
    this.#append(this.#line, rest);
    return this.#line.take();
  }

  /** Removes a byte order mark from the first line of the stream. */
  #withoutMark(line: Uint8Array): Uint8Array {
    if (!this.#isFirstLine) return line;
    this.#isFirstLine = false;
    return MARK.every((byte, index) => line[index] === byte) ? line.subarray(MARK.length) : line;
  }

  #addData(value: Uint8Array): void {
    this.#hasData = true;
    if (this.#view === undefined && !this.#isDataKept) {
      this.#view = value;
      return;
    }
    this.#keepView();
    this.#append(this.#data, ONE_LINE_FEED);
    this.#append(this.#data, value);
  }

  /** Copies the value of the first `data` field, because the chunk would stay in memory until the event ends. */
  #keepView(): void {
    const view = this.#view;
    if (view === undefined) return;
    this.#view = undefined;
    this.#isDataKept = true;
    this.#append(this.#data, view);
  }

  #endEvent(): ServerEvent | undefined {
    const data = this.#view ?? (this.#isDataKept ? this.#data.take() : undefined);
    const event = { data: data && decode(data), id: this.#id, retryMs: this.#retryMs };
    this.#view = this.#id = this.#retryMs = undefined;
    this.#isDataKept = false;
    return event.data === undefined && event.id === undefined && event.retryMs === undefined
      ? undefined
      : event;
  }

  #append(to: ByteCollector, bytes: Uint8Array): void {
    this.#assertFits(bytes.length);
    to.append(bytes);
  }

  #assertFits(more: number): void {
    if (this.#line.length + this.#data.length + (this.#view?.length ?? 0) + more <= this.#maxBytes) return;
    const error = new Error(
      `The stream contains an event that is too long (limit: ${this.#maxBytes} bytes).`,
    );
    error.name = ERROR_NAME;
    throw error;
  }
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);
const ONE_LINE_FEED = /* @__PURE__ */ Uint8Array.of(LINE_FEED);
/** UTF-8 byte order mark. */
const MARK = [0xef, 0xbb, 0xbf];

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Longest name of a field that is read, and the longest ID, in bytes. */
const MAX_FIELD = 16;
const MAX_ID = 1_000;

/**
 * Field names of the format. Prefixes match too: a comment has an empty name, and a broken connection may cut a name
 * short.
 */
const FIELDS = ["data", "event", "id", "retry"];
