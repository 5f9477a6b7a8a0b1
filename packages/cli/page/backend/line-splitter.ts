/**
 * @fileoverview Splits a stream of text into lines.
 * @module cli/page-app/backend/line-splitter
 */

/** Collects chunks of text until a line is complete. A line can be megabytes long, so chunks are joined only once. */
export class LineSplitter {
  #open: string[] = [];

  /** Adds a chunk. Returns the lines that it completes, without empty ones. */
  push(chunk: string): readonly string[] {
    const [first = "", ...others] = chunk.split("\n");
    this.#open.push(first);
    const last = others.pop();
    if (last === undefined) return [];
    const lines = [this.#open.join(""), ...others];
    this.#open = [last];
    return lines.filter((line) => line !== "");
  }
}
