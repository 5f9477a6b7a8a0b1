/**
 * @fileoverview A task that is in memory: its transcript, and the run that it is in.
 * @module agent/conversation/task
 */
import type { Ending } from "./run-task.js";
import type { Transcript } from "../context/transcript.js";

/** A task in memory. */
export class Task {
  readonly transcript: Transcript;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #running: Promise<Ending> | undefined;
  #isSubtask = false;
  #grace: NodeJS.Timeout | undefined;

  constructor(transcript: Transcript) {
    this.transcript = transcript;
  }

  /** Aborts when the run is to stop; there is none where nothing runs. */
  get signal(): AbortSignal | undefined {
    return this.#signal;
  }

  /** Whether the model is at work. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Begins a run, which ends when it does, or when the task is interrupted or `outer` aborts.
   *
   * @returns how it ended
   */
  start(run: (signal: AbortSignal) => Promise<Ending>, outer?: AbortSignal): Promise<Ending> {
    const controller = new AbortController();
    const signal = outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]);
    this.#isSubtask = outer !== undefined;
    this.#controller = controller;
    this.#signal = signal;
    this.#running = run(signal).finally(() => this.#end());
    return this.#running.then((reason) => {
      // Whoever hears this may write at once.
      this.transcript.send({ type: "conversationOver", data: { taskId: this.transcript.taskId, reason } });
      return reason;
    });
  }

  /** Stops the run; resolves when it has stopped. */
  async interrupt(): Promise<void> {
    this.#controller?.abort();
    await this.#running;
  }

  /** Nobody watches any more: the run is stopped if nobody comes back in time. */
  detach(ms: number): void {
    if (!this.isRunning || this.#isSubtask) return; // a subtask ends with its parent
    clearTimeout(this.#grace);
    this.#grace = setTimeout(() => this.#controller?.abort(), ms);
    this.#grace.unref();
  }

  /** Somebody watches again. */
  reattach(): void {
    clearTimeout(this.#grace);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#grace);
    await this.transcript.rest().catch(() => undefined); // whatever was to be kept has been, or was told not to be
    this.#controller = undefined;
    this.#signal = undefined;
    this.#running = undefined;
  }
}
