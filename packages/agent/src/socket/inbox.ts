/**
 * @fileoverview What one client has sent and what is done about it: begun in the order of sending, each on its own from
 * there, and never more at once than the client's share.
 * @module agent/socket/inbox
 */

/** What an inbox needs of its connection. */
export interface InboxParts<Checked> {
  readonly maxInFlight: number;
  /** Runs one after the other. */
  readonly check: (text: string) => Promise<Checked>;
  /** Begins in the order of the checks. */
  readonly answer: (checked: Checked) => Promise<void>;
  /** Hears what neither of the two should have thrown. */
  readonly onFailure: (error: unknown) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** One client's messages under way. */
export class Inbox<Checked> {
  readonly #parts: InboxParts<Checked>;
  readonly #inFlight = new Set<Promise<void>>();
  /** What came before the pause took hold: a socket that is paused still gives what it has read. */
  readonly #waiting: string[] = [];
  #checks: Promise<unknown> = Promise.resolve();
  #isPaused = false;

  constructor(parts: InboxParts<Checked>) {
    this.#parts = parts;
  }

  /** Whether nothing is read from the client, so that its silence means nothing. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Takes one message; it waits where there are too many under way. */
  take(text: string): void {
    const { maxInFlight, pause } = this.#parts;
    if (this.#inFlight.size < maxInFlight && this.#waiting.length === 0) this.#begin(text);
    else this.#waiting.push(text);
    if (this.#isPaused || this.#inFlight.size < maxInFlight) return;
    this.#isPaused = true;
    pause();
  }

  /** Resolves when all that was taken is done. */
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
