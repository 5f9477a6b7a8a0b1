/**
 * @fileoverview Rate limit for status texts: the first text is shown immediately, then only the latest text of each
 * interval.
 * @module agent/conversation/calls/paced
 */

/** Shows status texts at a limited rate. */
export class Paced {
  readonly #show: (text: string) => void;
  readonly #interval: number;
  #waiting: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param interval minimum time between two texts, in milliseconds */
  constructor(show: (text: string) => void, interval: number) {
    this.#show = show;
    this.#interval = interval;
  }

  /** Shows a text now, or at the end of the current interval unless a later text replaces it. */
  post(text: string): void {
    if (this.#isOver) return;
    this.#waiting = text;
    if (this.#timer === undefined) this.#next();
  }

  /** Stops showing texts. A waiting text is dropped. */
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
