/**
 * @fileoverview Limits the rate of status texts: shows the first one immediately, then the last one of each
 * interval.
 * @module agent/conversation/paced
 */

/** Shows texts at a limited rate. */
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

  /** Shows a text now, or at the end of the interval unless another text replaces it. */
  post(text: string): void {
    if (this.#isOver) return;
    this.#waiting = text;
    if (this.#timer === undefined) this.#next();
  }

  /** Stops showing texts. */
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
