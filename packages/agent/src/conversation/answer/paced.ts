/**
 * @fileoverview Words that may come very fast, shown one at a time: the first at once, then the last of each interval.
 * @module agent/conversation/paced
 */

/** Shows texts at a bounded pace. */
export class Paced {
  readonly #show: (text: string) => void;
  readonly #interval: number;
  #waiting: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param interval milliseconds between two texts */
  constructor(show: (text: string) => void, interval: number) {
    this.#show = show;
    this.#interval = interval;
  }

  /** Shows a text now or soon, unless another one comes before that. */
  post(text: string): void {
    if (this.#isOver) return;
    this.#waiting = text;
    if (this.#timer === undefined) this.#next();
  }

  /** Nothing is shown from here on. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #next(): void {
    this.#timer = undefined;
    const text = this.#waiting;
    if (text === undefined) return;
    this.#waiting = undefined;
    this.#show(text);
    this.#timer = setTimeout(() => this.#next(), this.#interval);
  }
}
