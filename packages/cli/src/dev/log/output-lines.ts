/**
 * @fileoverview Splits the output of the user's code into lines.
 * @module cli/dev/log/output-lines
 */

/** Maximum length of a line. Longer lines are divided. */
const MAX_LINE = 8_192;

/** Joins pieces of a stream to lines. */
export class OutputLines {
  readonly #onLine: (line: string) => void;
  #rest = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Adds a piece of text. */
  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#emit(line.endsWith("\r") ? line.slice(0, -1) : line);
    while (this.#rest.length > MAX_LINE) {
      this.#onLine(this.#rest.slice(0, MAX_LINE));
      this.#rest = this.#rest.slice(MAX_LINE);
    }
  }

  /** Emits the last line, which has no line break. */
  flush(): void {
    if (this.#rest !== "") this.#onLine(this.#rest);
    this.#rest = "";
  }

  #emit(line: string): void {
    for (let at = 0; at === 0 || at < line.length; at += MAX_LINE)
      this.#onLine(line.slice(at, at + MAX_LINE));
  }
}
