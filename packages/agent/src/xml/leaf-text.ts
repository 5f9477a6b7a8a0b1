/**
 * @fileoverview Collects the text of one streamed parameter. Whitespace that may be layout is held back, so text that
 * was reported is never withdrawn.
 * @module agent/xml/leaf-text
 */
import { isBlank } from "./entities.js";

/** Text of one parameter while it is being streamed. */
export class LeafText {
  #text = "";
  /** Text that was added since the last `takeFresh`. */
  #fresh = "";
  /** Whitespace that is layout if a tag follows, or else text. */
  #held = "";
  #hasStarted = false;
  #isAfterCdata = false;

  /** Text so far, without whitespace that may be layout. */
  get soFar(): string {
    return this.#text;
  }

  /** Adds literal text. Whitespace at its end is held back. */
  addRaw(run: string): void {
    const start = run.search(NOT_BLANK);
    if (start === -1) {
      this.#held += run;
      return;
    }
    let end = run.length;
    while (isBlank(run.charCodeAt(end - 1))) end--;
    this.#held += run.slice(0, start);
    this.#release();
    this.#add(run.slice(start, end));
    this.#held = run.slice(end);
  }

  /** Adds a decoded character reference. Its whitespace is never layout. */
  addExact(text: string): void {
    this.#release();
    this.#add(text);
  }

  /** Starts a CDATA section. Whitespace between the tag and the section is layout. */
  openCdata(): void {
    if (!this.#hasStarted) this.#held = "";
    this.#release();
  }

  /** Adds text from a CDATA section. Its whitespace is never layout. */
  addCdata(text: string): void {
    this.#add(text);
  }

  /** Ends a CDATA section. Whitespace between the section and the closing tag is layout. */
  closeCdata(): void {
    this.#isAfterCdata = true;
  }

  /** Ends the text at its closing tag and returns all of it. */
  end(): string {
    if (this.#isAfterCdata) this.#held = "";
    else if (!this.#hasStarted) this.#held = this.#held.includes("\n") ? "" : this.#held;
    else this.#held = this.#held.replace(LAST_BREAK, "");
    this.#add(this.#held);
    this.#held = "";
    return this.#text;
  }

  /** Returns the text that was added since the last `takeFresh`. */
  takeFresh(): string {
    const fresh = this.#fresh;
    this.#fresh = "";
    return fresh;
  }

  #release(): void {
    const held = this.#hasStarted ? this.#held : this.#held.replace(FIRST_BREAK, "");
    this.#hasStarted = true;
    this.#isAfterCdata = false;
    this.#held = "";
    this.#add(held);
  }

  #add(text: string): void {
    this.#text += text;
    this.#fresh += text;
  }
}

const NOT_BLANK = /[^ \t\r\n]/;
const FIRST_BREAK = /^[ \t]*\r?\n/;
const LAST_BREAK = /\r?\n[ \t]*$/;
