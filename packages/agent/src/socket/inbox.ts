/**
 * @fileoverview Messages of one client. Handlers start in the order of arrival and run concurrently, up to a limit
 * per client.
 * @module agent/socket/inbox
 */

/** Functions that an inbox calls. */
export interface InboxParts<Checked> {
  readonly maxInFlight: number;
  /** Checks a message. Checks run one after the other. */
  readonly check: (text: string) => Promise<Checked>;
  /** Handles a message. Handlers start in the order of the checks. */
  readonly answer: (checked: Checked) => Promise<void>;
  /** Receives errors of both functions. */
  readonly onFailure: (error: unknown) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Messages of one client that are in flight. */
export class Inbox<Checked> {
  readonly #parts: InboxParts<Checked>;
  readonly #inFlight = new Set<Promise<void>>();
  /** Messages that arrived before the pause took effect: a paused socket still delivers data that it has read. */
  readonly #waiting: string[] = [];
  #checks: Promise<unknown> = Promise.resolve();
  #isPaused = false;

  constructor(parts: InboxParts<Checked>) {
    this.#parts = parts;
  }

  /** True while nothing is read from the client. Missing pongs mean nothing then. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Accepts a message. It waits if too many are in flight. */
  take(text: string): void {
    const { maxInFlight, pause } = this.#parts;
    if (this.#inFlight.size < maxInFlight && this.#waiting.length === 0) this.#begin(text);
    else this.#waiting.push(text);
    if (this.#isPaused || this.#inFlight.size < maxInFlight) return;
    this.#isPaused = true;
    pause();
  }

  /** Resolves when all accepted messages are handled. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #begin(text: string): void {
    const { check, answer, onFailure } = this.#parts;
    const checked = this.#checks.then(() => check(text));
    this.#checks = checked.catch(() => undefined);
    const done: Promise<void> = checked
      .then(answer)
      .catch(onFailure)
      .finally(() => this.#finish(done));
    this.#inFlight.add(done);
  }

  #finish(done: Promise<void>): void {
    this.#inFlight.delete(done);
    const next = this.#waiting.shift();
    if (next !== undefined) return this.#begin(next);
    if (!this.#isPaused || this.#inFlight.size * 2 > this.#parts.maxInFlight) return;
    this.#isPaused = false;
    this.#parts.resume();
  }
}
