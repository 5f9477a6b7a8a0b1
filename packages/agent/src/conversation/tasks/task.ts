/**
 * @fileoverview In-memory task: its transcript and its current run.
 * @module agent/conversation/tasks/task
 */
import type { Ending } from "./run-task.js";
import type { Transcript } from "../context/transcript.js";

/** In-memory task with at most one run at a time. */
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

  /** Abort signal of the current run, or `undefined` if the task is not running. */
  get signal(): AbortSignal | undefined {
    return this.#signal;
  }

  /** Resolves with the reason when the current run has ended. `undefined` if the task is not running. */
  get ended(): Promise<Ending> | undefined {
    return this.#running;
  }

  /** True while a run is in progress. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Starts a run, which is aborted when the task is interrupted or `outer` aborts. Pass `outer` only for a subtask.
   *
   * @returns the reason the run ended
   */
  start(run: (signal: AbortSignal) => Promise<Ending>, outer?: AbortSignal): Promise<Ending> {
    const controller = new AbortController();
    const signal = outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]);
    this.#isSubtask = outer !== undefined;
    this.#controller = controller;
    this.#signal = signal;
    this.#running = run(signal).finally(() => this.#end());
    return this.#running.then((reason) => {
      // Sent only after the run has ended, so that a client can send its next message immediately.
      this.transcript.send({ type: "conversationOver", data: { taskId: this.transcript.taskId, reason } });
      return reason;
    });
  }

  /** Aborts the current run. Resolves when it has stopped. */
  async interrupt(): Promise<void> {
    this.#controller?.abort();
    await this.#running;
  }

  /** Called when the last client stops watching. Aborts the run after `ms` milliseconds unless `reattach` is called. */
  detach(ms: number): void {
    if (!this.isRunning || this.#isSubtask) return; // a subtask is aborted together with its parent
    clearTimeout(this.#grace);
    this.#grace = setTimeout(() => this.#controller?.abort(), ms);
    this.#grace.unref();
  }

  /** Called when a client watches the task again. Cancels a pending abort. */
  reattach(): void {
    clearTimeout(this.#grace);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#grace);
    // Closing can fail, but every entry is already stored or its failure reported.
    await this.transcript.rest().catch(() => undefined);
    this.#controller = undefined;
    this.#signal = undefined;
    this.#running = undefined;
  }
}
