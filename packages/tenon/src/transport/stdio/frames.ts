/**
 * @fileoverview Splits a byte stream into lines, regardless of chunk boundaries.
 * @module tenon/transport/stdio/frames
 */
import { ByteCollector } from "@tenon/internal/byte-collector";
import { mayReachPrototype } from "@tenon/internal/json";
import { byteFunctions } from "../node-buffer.js";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const OPEN_BRACE = 0x7b;

/**
 * Splits chunks into lines. A line longer than the limit is truncated to one byte past it, so that the parser rejects
 * it as too large. The rest of the line is discarded.
 */
export class FrameSplitter {
  readonly #capacity: number;
  readonly #chunks: Uint8Array[] = [];
  /** Read position in the first chunk. */
  #offset = 0;
  /** First chunk decoded as text, if it is all ASCII. Decoding the chunk once avoids one copy per line. */
  #text: string | undefined;
  #looked = false;
  #plainChunk = false;
  #plainLine = false;
  /** Line whose end has not arrived yet. */
  readonly #partial: ByteCollector;
  #dropping = false;

  constructor(maxBytes: number) {
    // One byte past the limit, because the last byte may be a `\r` that does not count.
    this.#capacity = maxBytes + 1;
    this.#partial = new ByteCollector(this.#capacity);
  }

  /**
   * True if the most recently returned line contains no key that could pollute a prototype, such as `__proto__`. Each
   * chunk is searched once.
   */
  get isPlain(): boolean {
    return this.#plainLine;
  }

  /** Memory of the line whose end has not arrived yet. */
  get heldBytes(): number {
    return this.#partial.allocatedBytes;
  }

  /** Appends the next chunk of the stream. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  /** Returns the next non-blank line without its line break, or `undefined` if more data is needed. */
  next(): string | Uint8Array | undefined {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      const text = this.#textOf(chunk);
      const end =
        text === undefined ? chunk.indexOf(NEWLINE, this.#offset) : text.indexOf("\n", this.#offset);
      const start = this.#offset;
      this.#offset = end + 1;
      if (end === -1 || this.#offset === chunk.length) this.#drop();
      const isWithin = text !== undefined && end !== -1 && this.#partial.length === 0 && !this.#dropping;
      this.#plainLine = isWithin && this.#plainChunk;
      const frame = isWithin
        ? trimText(text.slice(start, end), this.#capacity)
        : this.#take(chunk.subarray(start, end === -1 ? chunk.length : end), end !== -1);
      if (frame !== undefined) return frame;
    }
    return undefined;
  }

  /** Returns the unterminated line at the end of the stream, if any. */
  last(): Uint8Array | undefined {
    this.#plainLine = false;
    return trim(this.#partial.take());
  }

  /** Decodes the chunk once. In ASCII, every character is one byte, so offsets in the text and the chunk match. */
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
    if (this.#dropping || this.#partial.append(piece)) return undefined;
    this.#dropping = true;
    return this.#partial.take();
  }

  #complete(piece: Uint8Array): Uint8Array | undefined {
    if (this.#dropping) {
      this.#dropping = false;
      return undefined;
    }
    if (this.#partial.length === 0) return piece.length > this.#capacity ? piece : trim(piece);
    const fits = this.#partial.append(piece);
    const frame = this.#partial.take();
    return fits ? trim(frame) : frame;
  }
}

/**
 * Decodes a chunk, or returns `undefined` if it is not all ASCII. A non-ASCII character takes more bytes than UTF-16
 * code units, and malformed bytes decode to U+FFFD.
 */
function asciiText(chunk: Uint8Array): string | undefined {
  const text = byteFunctions().decode(chunk);
  return text.length === chunk.length && !text.includes("\ufffd") ? text : undefined;
}

/**
 * Does what `trim` does for bytes, but for text. Leaves a line longer than the limit unchanged, so that the parser
 * rejects it as too large.
 */
function trimText(line: string, capacity: number): string | undefined {
  if (line.charCodeAt(0) === OPEN_BRACE && line.charCodeAt(line.length - 1) !== RETURN) return line;
  if (line.length > capacity) return line;
  if (/^[ \t\r]*$/.test(line)) return undefined;
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Removes a trailing `\r`. Returns `undefined` for a blank line. */
function trim(line: Uint8Array): Uint8Array | undefined {
  const blank = line.every((byte) => byte === SPACE || byte === TAB || byte === RETURN);
  if (blank) return undefined;
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
