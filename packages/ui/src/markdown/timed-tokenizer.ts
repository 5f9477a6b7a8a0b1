/**
 * @fileoverview Tokenizer of `marked` that stops after some time. Some texts take quadratic or cubic time, and no limit on
 * their length is short enough for them and long enough for others.
 * @module ui/markdown/timed-tokenizer
 */
import { Tokenizer } from "marked";

/** Cells of one table. Rows are filled up to the number of columns, so a short text can have countless cells. */
const MAX_CELLS = 20_000;

/** Thrown when parsing has taken too long. */
export class TimeLimitError extends Error {}

/** Tokenizer with a deadline. */
export class TimedTokenizer extends Tokenizer {
  readonly #deadline: number;
  readonly #now: () => number;

  constructor(milliseconds: number, now: () => number) {
    super();
    this.#now = now;
    this.#deadline = now() + milliseconds;
  }

  /** First step for each block. */
  override space(source: string) {
    this.#check();
    return super.space(source);
  }

  /** First step for each part of a paragraph. */
  override escape(source: string) {
    this.#check();
    return super.escape(source);
  }

  /** Tables with too many cells stay text. */
  override table(source: string) {
    return hasTooManyCells(source) ? undefined : super.table(source);
  }

  #check(): void {
    if (this.#now() > this.#deadline) throw new TimeLimitError("Parsing has taken too long.");
  }
}

/** Returns true if a table at the start of a text would have too many cells. Counts at most the lines of a paragraph. */
function hasTooManyCells(source: string): boolean {
  const end = source.indexOf("\n");
  if (end === -1) return false;
  const columns = source.slice(0, end).split("|").length;
  if (columns === 1) return false;
  const maxRows = Math.floor(MAX_CELLS / columns);
  let rows = 0;
  // A table ends at an empty line.
  for (let at = end; at !== -1 && source[at + 1] !== "\n" && rows <= maxRows; rows++) {
    at = source.indexOf("\n", at + 1);
  }
  return rows > maxRows;
}
