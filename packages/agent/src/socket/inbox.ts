/**
 * @fileoverview Queue for one client's messages. Handlers start in arrival order and run concurrently, up to a limit.
 * @module agent/socket/inbox
 */

/** Memory of the messages of all clients that are in flight. */
export interface InboxLoad {
  bytes: number;
}

/**
 * Maximum memory of all messages in flight, in bytes. Above it, large messages are rejected. Messages for one task are
 * handled one after the other, so many clients together could otherwise fill the memory.
 */
const MAX_BYTES = 64 * 1_048_576;
const SMALL_BYTES = 16_384;

/** Limit and callbacks for `Inbox`. */
export interface InboxParts<Checked> {
  /** Maximum number of messages that are checked or handled at the same time. */
  readonly maxInFlight: number;
  /** Messages of all clients. */
  readonly load: InboxLoad;
  /** Checks a message. Checks run one at a time. */
  readonly check: (text: string) => Promise<Checked>;
  /** Handles a checked message. Handlers start in arrival order and may overlap. */
  readonly answer: (checked: Checked) => Promise<void>;
  /** Receives errors from `check` and `answer`. */
  readonly onFailure: (error: unknown) => void;
  /** Called for a message that is rejected, because those in flight take too much memory. */
  readonly onRefused: () => void;
  /** Stops reading from the client. */
  readonly pause: () => void;
  /** Resumes reading from the client. */
  readonly resume: () => void;
}

/** Limits the number of one client's messages in flight. At the limit, reading is paused. */
export class Inbox<Checked> {
  readonly #parts: InboxParts<Checked>;
  readonly #inFlight = new Set<Promise<void>>();
  /** Messages that arrived after the pause. A paused socket still delivers data that it has already read. */
  readonly #waiting: string[] = [];
  #checks: Promise<unknown> = Promise.resolve();
  #isPaused = false;

  constructor(parts: InboxParts<Checked>) {
    this.#parts = parts;
  }

  /** True while reading is paused. During a pause, a missing pong does not mean that the client is gone. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Accepts a message, or rejects it. The message is queued if the limit is reached. */
  take(text: string): void {
    const { maxInFlight, load, onRefused, pause } = this.#parts;
    const bytes = memoryOf(text);
    if (bytes > SMALL_BYTES && load.bytes > 0 && load.bytes + bytes > MAX_BYTES) return onRefused();
    load.bytes += bytes;
    if (this.#inFlight.size < maxInFlight && this.#waiting.length === 0) this.#begin(text);
    else this.#waiting.push(text);
    if (this.#isPaused || this.#inFlight.size < maxInFlight) return;
    this.#isPaused = true;
    pause();
  }

  /** Resolves when all accepted messages have been handled. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #begin(text: string): void {
    const { check, answer, load, onFailure } = this.#parts;
    const checked = this.#checks.then(() => check(text));
    this.#checks = checked.catch(() => undefined);
    const done: Promise<void> = checked
      .then(answer)
      .catch(onFailure)
      .finally(() => {
        load.bytes -= memoryOf(text);
        this.#finish(done);
      });
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

/** Returns the memory of a message in bytes, with two bytes per character. */
function memoryOf(text: string): number {
  return 2 * text.length;
}
