/**
 * @fileoverview Cuts a stream of bytes into the lines that stdio carries, however the bytes arrive.
 * @module transport/stdio/frames
 */
import { mayReachPrototype } from "../../internal/json.js";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const OPEN_BRACE = 0x7b;
const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/**
 * Lines out of chunks. Of a line that outgrows the limit no more than the limit is kept: it is handed on cut off,
 * one byte too long, to be refused for its size; the rest is dropped up to its newline.
 */
export class FrameSplitter {
  readonly #capacity: number;
  readonly #chunks: Uint8Array[] = [];
  /** Where the first chunk has been read to. */
  #offset = 0;
  /** The first chunk as text, if all of it is ASCII: one copy for the chunk instead of one for each of its lines. */
  #text: string | undefined;
  #looked = false;
  #plainChunk = false;
  #plainLine = false;
  /** A line whose end has not arrived. One buffer that grows: a list of single bytes would cost a hundredfold. */
  #partial: Uint8Array = NOTHING;
  #length = 0;
  #dropping = false;

  constructor(maxBytes: number) {
    // One more than allowed, since it may be the `\r` that does not count.
    this.#capacity = maxBytes + 1;
  }

  /** Whether nothing in the line handed out last reaches for a prototype: one look at its chunk told. */
  get isPlain(): boolean {
    return this.#plainLine;
  }

  /** Takes what arrived. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  /** The next line that is not blank, without its end; nothing where more must arrive first. */
  next(): string | Uint8Array | undefined {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      const text = this.#textOf(chunk);
      const end =
        text === undefined ? chunk.indexOf(NEWLINE, this.#offset) : text.indexOf("\n", this.#offset);
      const start = this.#offset;
      this.#offset = end + 1;
      if (end === -1 || this.#offset === chunk.length) this.#drop();
      const isWithin = text !== undefined && end !== -1 && this.#length === 0 && !this.#dropping;
      this.#plainLine = isWithin && this.#plainChunk;
      const frame = isWithin
        ? trimText(text.slice(start, end), this.#capacity)
        : this.#take(chunk.subarray(start, end === -1 ? chunk.length : end), end !== -1);
      if (frame !== undefined) return frame;
    }
    return undefined;
  }

  /** The line that the end of the stream cut off, if there is one. */
  last(): Uint8Array | undefined {
    this.#plainLine = false;
    return trim(this.#takePartial());
  }

  /** In ASCII every character is a byte: what is found in the text stands at the same place in the chunk. */
  #textOf(chunk: Uint8Array): string | undefined {
    if (!this.#looked) {
      this.#looked = true;
      this.#text = asciiText(chunk);
      this.#plainChunk = this.#text !== undefined && !mayReachPrototype(this.#text);
    }
    return this.#text;
  }

  #drop(): void {
    this.#chunks.shift();
    this.#offset = 0;
    this.#text = undefined;
    this.#looked = false;
  }

  #take(piece: Uint8Array, isWhole: boolean): Uint8Array | undefined {
    return isWhole ? this.#complete(piece) : this.#keep(piece);
  }

  #keep(piece: Uint8Array): Uint8Array | undefined {
    if (this.#dropping || this.#append(piece)) return undefined;
    this.#dropping = true;
    return this.#takePartial();
  }

  #complete(piece: Uint8Array): Uint8Array | undefined {
    if (this.#dropping) {
      this.#dropping = false;
      return undefined;
    }
    if (this.#length === 0) return piece.length > this.#capacity ? piece : trim(piece);
    const fits = this.#append(piece);
    const frame = this.#takePartial();
    return fits ? trim(frame) : frame;
  }

  /** Adds to the partial line what there is room for; false where that was not all. */
  #append(piece: Uint8Array): boolean {
    const length = Math.min(this.#length + piece.length, this.#capacity);
    if (length > this.#partial.length) {
      const grown = new Uint8Array(Math.min(Math.max(length, this.#partial.length * 2), this.#capacity));
      grown.set(this.#partial.subarray(0, this.#length));
      this.#partial = grown;
    }
    const taken = length - this.#length;
    this.#partial.set(piece.subarray(0, taken), this.#length);
    this.#length = length;
    return taken === piece.length;
  }

  #takePartial(): Uint8Array {
    const frame = this.#partial.subarray(0, this.#length);
    this.#partial = NOTHING;
    this.#length = 0;
    return frame;
  }
}

/**
 * The text of a chunk that has nothing but ASCII: whatever else there is takes more bytes than it gives characters, or
 * is malformed and marked so. Node's own test would need `node:buffer`, and importing that loads streams and files,
 * two milliseconds of a cold start; the class itself is there without.
 */
function asciiText(chunk: Uint8Array): string | undefined {
  const text = globalThis.Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString();
  return text.length === chunk.length && !text.includes("\ufffd") ? text : undefined;
}

/** The same for text; what is too long stays as it is, to be refused for its size. */
function trimText(line: string, capacity: number): string | undefined {
  if (line.charCodeAt(0) === OPEN_BRACE && line.charCodeAt(line.length - 1) !== RETURN) return line;
  if (line.length > capacity) return line;
  if (/^[ \t\r]*$/.test(line)) return undefined;
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** A line without the `\r` of Windows; nothing where it is blank. */
function trim(line: Uint8Array): Uint8Array | undefined {
  const blank = line.every((byte) => byte === SPACE || byte === TAB || byte === RETURN);
  if (blank) return undefined;
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
