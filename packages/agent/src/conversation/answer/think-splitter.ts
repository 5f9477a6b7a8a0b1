/**
 * @fileoverview Separates `<think>` sections at the beginning of an answer from its text, wherever the stream is
 * split.
 * @module agent/conversation/think-splitter
 */

/** Part of an answer: reasoning or text. */
export interface SplitText {
  readonly isThought: boolean;
  readonly text: string;
}

/** Splits `<think>…</think>` off the beginning of streamed text. */
export class ThinkSplitter {
  #state: "before" | "inside" | "after" = "before";
  #held = "";

  /** Reads the next piece. */
  feed(piece: string): readonly SplitText[] {
    if (this.#state === "after") return toParts(false, piece);
    this.#held += piece;
    return this.#state === "before" ? this.#readBeginning() : this.#readThought();
  }

  /** Ends the text. An unclosed section counts as reasoning. */
  finish(): readonly SplitText[] {
    const held = this.#held;
    this.#held = "";
    const isThought = this.#state === "inside";
    this.#state = "after";
    return toParts(isThought, held);
  }

  #readBeginning(): readonly SplitText[] {
    const start = this.#held.trimStart();
    this.#held = start; // leading whitespace is dropped, so it cannot fill the memory
    if (OPEN.startsWith(start)) return []; // it may still become the tag
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

/** Counts the characters at the end of a text that may be the beginning of a tag. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
