/**
 * @fileoverview The text of one parameter as it arrives. What may turn out to be layout (blanks next to a tag) is held
 * back until it is clear, so that what was reported once only ever grows.
 * @module agent/xml/leaf-text
 */
import { isBlank } from "./entities.js";

/** Collects the text of one parameter. */
export class LeafText {
  #text = "";
  /** What was added since somebody last asked. */
  #fresh = "";
  /** Blanks that are layout if a tag follows, and text if anything else does. */
  #held = "";
  #hasStarted = false;
  #isAfterCdata = false;

  /** What is known to be the text so far. */
  get soFar(): string {
    return this.#text;
  }

  /** Text as it is written. */
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

  /** Text whose blanks are meant: a character reference. */
  addExact(text: string): void {
    this.#release();
    this.#add(text);
  }

  /** Blanks between the tag and a CDATA section are layout. */
  openCdata(): void {
    if (!this.#hasStarted) this.#held = "";
    this.#release();
  }

  /** The content of a CDATA section. */
  addCdata(text: string): void {
    this.#add(text);
  }

  /** Blanks that follow are layout if the tag is closed after them. */
  closeCdata(): void {
    this.#isAfterCdata = true;
  }

  /** The whole text, after its tag was closed. */
  end(): string {
    if (this.#isAfterCdata) this.#held = "";
    else if (!this.#hasStarted) this.#held = this.#held.includes("\n") ? "" : this.#held;
    else this.#held = this.#held.replace(LAST_BREAK, "");
    this.#add(this.#held);
    this.#held = "";
    return this.#text;
  }

  /** What was added since the last time. */
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
