/**
 * @fileoverview Finds the tags, CDATA sections, comments, and character references of one call in streamed text. The
 * reader decides which tags are meaningful at the current position. Everything else is text. The scanner reads each
 * character at most three times.
 * @module agent/xml/scanner
 */
import { decodeReference, isBlank, MAX_REFERENCE } from "./entities.js";

/** Position of the scanner: before the call's opening tag, in a parameter's text, or between parameters. */
export type Place = "before" | "text" | "between";

/** Receives the tags and text that the scanner finds. */
export interface Reader {
  place(): Place;
  /** Returns true if the call has ended and the scanner must stop. */
  isDone(): boolean;
  /** Returns true if a tag with this name is meaningful at the current position. If not, the tag is text. */
  knowsTag(name: string, isClosing: boolean): boolean;
  openTag(name: string, raw: string, isEmpty: boolean): void;
  closeTag(name: string, raw: string): void;
  /** Receives literal text. */
  raw(text: string): void;
  /** Receives a decoded character reference. */
  exact(text: string): void;
  openCdata(): void;
  cdata(text: string): void;
  closeCdata(): void;
}

type Mode = "text" | "name" | "attributes" | "bang" | "cdata" | "comment" | "reference";

/** Splits streamed text into tags and text, and passes them to a reader. */
export class Scanner {
  readonly #reader: Reader;
  #mode: Mode = "text";
  /** Text that may turn out to be a tag or a reference. */
  #candidate = "";
  #name = "";
  /** Closing quote of the open attribute value. */
  #quote = "";
  /** Last non-blank character before the current position in a tag. */
  #before = "";
  /** Number of `]` in a CDATA section, or `-` in a comment, that may belong to its end. */
  #ending = 0;
  /** Number of characters read so far, including repeated reads. */
  steps = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Scans a piece of text from a position. Returns the position at which the call ended, or the piece's length. */
  feed(piece: string, start: number): number {
    let at = start;
    while (at < piece.length && !this.#reader.isDone()) {
      const end = this.#mode === "text" ? this.#endOfRun(piece, at) : at;
      if (end > at) {
        this.steps += end - at;
        this.#reader.raw(piece.slice(at, end));
        at = end;
      } else {
        this.#step(piece.charAt(at));
        at++;
      }
    }
    return at;
  }

  /**
   * Returns the end of a run of text. Between parameters, a run contains only whitespace, so that the reader sees the
   * first character of other text at once.
   */
  #endOfRun(piece: string, start: number): number {
    const isText = this.#reader.place() === "text";
    let end = start;
    while (end < piece.length) {
      const code = piece.charCodeAt(end);
      if (isText ? code === LESS || code === AMPERSAND : !isBlank(code)) break;
      end++;
    }
    return end;
  }

  #step(char: string): void {
    this.steps++;
    switch (this.#mode) {
      case "text":
        return this.#inText(char);
      case "name":
        return this.#inName(char);
      case "attributes":
        return this.#inAttributes(char);
      case "bang":
        return this.#inBang(char);
      case "cdata":
        return this.#inCdata(char);
      case "comment":
        return this.#inComment(char);
      default:
        return this.#inReference(char);
    }
  }

  #inText(char: string): void {
    if (char === "<") this.#begin("name", char);
    else if (char === "&" && this.#reader.place() === "text") this.#begin("reference", char);
    else this.#reader.raw(char);
  }

  #begin(mode: Mode, candidate: string): void {
    this.#mode = mode;
    this.#candidate = candidate;
    this.#name = "";
  }

  #inName(char: string): void {
    if (this.#candidate === "<" && char === "/") {
      this.#candidate = "</";
    } else if (this.#candidate === "<" && char === "!" && this.#reader.place() !== "before") {
      this.#begin("bang", "<!");
    } else if ((this.#name === "" ? NAME_START : NAME_PART).test(char) && this.#name.length < MAX_NAME) {
      this.#candidate += char;
      this.#name += char;
    } else {
      this.#endName(char);
    }
  }

  #endName(char: string): void {
    const isClosing = this.#candidate.startsWith("</");
    const mayEnd = char === ">" || BLANK.test(char) || (char === "/" && !isClosing);
    if (!mayEnd || this.#name === "" || !this.#reader.knowsTag(this.#name, isClosing)) {
      this.#giveUp(char);
      return;
    }
    this.#mode = "attributes";
    this.#quote = "";
    this.#before = "";
    this.#inAttributes(char);
  }

  /** Skips attributes. A `<` ends the tag even inside quotes, so that a candidate never contains a second `<`. */
  #inAttributes(char: string): void {
    const isClosing = this.#candidate.startsWith("</");
    if (char === "<" || this.#candidate.length >= MAX_TAG) return this.#giveUp(char);
    if (char === ">" && this.#quote === "") return this.#endTag(isClosing);
    if (isClosing && !BLANK.test(char)) return this.#giveUp(char);
    this.#candidate += char;
    if (this.#quote !== "") {
      if (char === this.#quote) this.#quote = "";
    } else if ((char === '"' || char === "'") && this.#before === "=") {
      this.#quote = char;
    }
    if (!BLANK.test(char)) this.#before = char;
  }

  #endTag(isClosing: boolean): void {
    const raw = `${this.#candidate}>`;
    const isEmpty = this.#before === "/";
    this.#mode = "text";
    this.#candidate = "";
    if (isClosing) this.#reader.closeTag(this.#name, raw);
    else this.#reader.openTag(this.#name, raw, isEmpty);
  }

  #inBang(char: string): void {
    const candidate = this.#candidate + char;
    if (candidate === CDATA) {
      this.#enter("cdata");
      this.#reader.openCdata();
    } else if (candidate === COMMENT && this.#reader.place() === "between") {
      this.#enter("comment");
    } else if (
      CDATA.startsWith(candidate) ||
      (COMMENT.startsWith(candidate) && this.#reader.place() === "between")
    ) {
      this.#candidate = candidate;
    } else {
      this.#giveUp(char);
    }
  }

  #enter(mode: "cdata" | "comment"): void {
    this.#mode = mode;
    this.#candidate = "";
    this.#ending = 0;
  }

  #inCdata(char: string): void {
    if (char === "]") {
      if (this.#ending === 2) this.#reader.cdata("]");
      else this.#ending++;
    } else if (char === ">" && this.#ending === 2) {
      this.#mode = "text";
      this.#reader.closeCdata();
    } else {
      this.#reader.cdata("]".repeat(this.#ending) + char);
      this.#ending = 0;
    }
  }

  #inComment(char: string): void {
    if (char === "-") this.#ending = Math.min(this.#ending + 1, 2);
    else if (char === ">" && this.#ending === 2) this.#mode = "text";
    else this.#ending = 0;
  }

  #inReference(char: string): void {
    const body = this.#candidate.slice(1);
    if (char === ";") {
      const decoded = decodeReference(body);
      this.#begin("text", "");
      if (decoded === undefined) this.#reader.raw(`&${body};`);
      else this.#reader.exact(decoded);
    } else if (REFERENCE_PART.test(char) && body.length < MAX_REFERENCE) {
      this.#candidate += char;
    } else {
      this.#begin("text", "");
      this.#reader.raw(`&${body}`);
      this.#step(char);
    }
  }

  /** Treats the candidate as text. A candidate contains only one `<`, so it cannot contain a second tag. */
  #giveUp(char: string): void {
    const text = this.#candidate;
    this.#begin("text", "");
    this.#reader.raw("<");
    for (const each of text.slice(1) + char) {
      if (this.#reader.isDone()) return;
      this.#step(each);
    }
  }
}

const LESS = 0x3c;
const AMPERSAND = 0x26;
const CDATA = "<![CDATA[";
const COMMENT = "<!--";
const NAME_START = /[A-Za-z_]/;
const NAME_PART = /[\w.-]/;
const BLANK = /[ \t\r\n]/;
const REFERENCE_PART = /[#\w]/;
const MAX_NAME = 128;
/** Maximum length of a tag with its attributes. A longer tag is treated as text. */
const MAX_TAG = 1_024;
