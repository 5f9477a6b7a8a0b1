/**
 * @fileoverview Separates a `<think>` section at the beginning of a streamed response from the text that follows.
 * @module agent/conversation/answer/think-splitter
 */

/** Part of a response: reasoning or text. */
export interface SplitText {
  readonly isThought: boolean;
  readonly text: string;
}

/** Separates a leading `<think>…</think>` section from streamed text, even if a tag is split between pieces. */
export class ThinkSplitter {
  #state: "before" | "inside" | "after" = "before";
  #held = "";

  /** Parses the next piece. Text that may be part of a tag is held back. */
  feed(piece: string): readonly SplitText[] {
    if (this.#state === "after") return toParts(false, piece);
    this.#held += piece;
    return this.#state === "before" ? this.#readBeginning() : this.#readThought();
  }

  /** Ends the text and returns the remaining parts. An unclosed section counts as reasoning. */
  finish(): readonly SplitText[] {
    const held = this.#held;
    this.#held = "";
    const isThought = this.#state === "inside";
    this.#state = "after";
    return toParts(isThought, held);
  }

  #readBeginning(): readonly SplitText[] {
    const start = this.#held.trimStart();
    this.#held = start; // drop leading whitespace, so that it cannot fill the memory
    if (OPEN.startsWith(start)) return []; // may be the beginning of the tag
    if (!start.startsWith(OPEN)) return this.finish();
    this.#state = "inside";
    this.#held = start.slice(OPEN.length);
    return this.#readThought();
  }

  #readThought(): readonly SplitText[] {
    const end = this.#held.indexOf(CLOSE);
    if (end !== -1) {
      const [thought, text] = [this.#held.slice(0, end), this.#held.slice(end + CLOSE.length)];
      this.#held = "";
      this.#state = "after";
      return [...toParts(true, thought), ...toParts(false, text)];
    }
    const kept = this.#held.length - beginningOf(CLOSE, this.#held);
    const thought = this.#held.slice(0, kept);
    this.#held = this.#held.slice(kept);
    return toParts(true, thought);
  }
}

const OPEN = "<think>";
const CLOSE = "</think>";

function toParts(isThought: boolean, text: string): readonly SplitText[] {
  return text === "" ? [] : [{ isThought, text }];
}

/** Returns the number of characters at the end of a text that may be the beginning of a tag. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
