/**
 * @fileoverview Text of one parameter while it arrives. Whitespace that may turn out to be layout is held back, so
 * that reported text only ever grows.
 * @module agent/xml/leaf-text
 */
import { isBlank } from "./entities.js";

/** Collects the text of one parameter. */
export class LeafText {
  #text = "";
  /** Text that was added since the last call of `takeFresh`. */
  #fresh = "";
  /** Whitespace that is layout if a tag follows, and text otherwise. */
  #held = "";
  #hasStarted = false;
  #isAfterCdata = false;

  /** Text that is certain so far. */
  get soFar(): string {
    return this.#text;
  }

  /** Adds text as written. */
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

  /** Adds text with literal whitespace, from a character reference. */
  addExact(text: string): void {
    this.#release();
    this.#add(text);
  }

  /** Starts a CDATA section. Whitespace between the tag and the section is layout. */
  openCdata(): void {
    if (!this.#hasStarted) this.#held = "";
    this.#release();
  }

  /** Adds the content of a CDATA section. */
  addCdata(text: string): void {
    this.#add(text);
  }

  /** Ends a CDATA section. Whitespace after it is layout if the tag is closed next. */
  closeCdata(): void {
    this.#isAfterCdata = true;
  }

  /** Returns the whole text after its tag was closed. */
  end(): string {
    if (this.#isAfterCdata) this.#held = "";
    else if (!this.#hasStarted) this.#held = this.#held.includes("\n") ? "" : this.#held;
    else this.#held = this.#held.replace(LAST_BREAK, "");
    this.#add(this.#held);
    this.#held = "";
    return this.#text;
  }

  /** Returns the text that was added since the last call. */
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
