/**
 * @fileoverview A task in memory: its transcript and its current run.
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

  /** Aborts when the run must stop. Undefined if the task is not running. */
  get signal(): AbortSignal | undefined {
    return this.#signal;
  }

  /** True while the model or a tool runs. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Starts a run. It ends by itself, when the task is interrupted, or when `outer` aborts.
   *
   * @returns the reason why it ended
   */
  start(run: (signal: AbortSignal) => Promise<Ending>, outer?: AbortSignal): Promise<Ending> {
    const controller = new AbortController();
    const signal = outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]);
    this.#isSubtask = outer !== undefined;
    this.#controller = controller;
    this.#signal = signal;
    this.#running = run(signal).finally(() => this.#end());
    return this.#running.then((reason) => {
      // Sent after the run has ended, so that a client can send its next message immediately.
      this.transcript.send({ type: "conversationOver", data: { taskId: this.transcript.taskId, reason } });
      return reason;
    });
  }

  /** Stops the run. Resolves when it has stopped. */
  async interrupt(): Promise<void> {
    this.#controller?.abort();
    await this.#running;
  }

  /** Called when the last watcher has left. Stops the run after `ms` unless a watcher returns. */
  detach(ms: number): void {
    if (!this.isRunning || this.#isSubtask) return; // a subtask ends with its parent
    clearTimeout(this.#grace);
    this.#grace = setTimeout(() => this.#controller?.abort(), ms);
    this.#grace.unref();
  }

  /** Called when a watcher has returned. */
  reattach(): void {
    clearTimeout(this.#grace);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#grace);
    await this.transcript.rest().catch(() => undefined); // entries were stored, or their failure was reported
    this.#controller = undefined;
    this.#signal = undefined;
    this.#running = undefined;
  }
}
