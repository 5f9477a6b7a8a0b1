/**
 * @fileoverview Queue of tasks that takes turns between principals, so that the tasks of one principal do not delay
 * those of the others.
 * @module tenon/tasks/engine/fair-queue
 */

/** Limits on the number of tasks that run at the same time. */
export interface ConcurrencyLimits {
  readonly total: number;
  /** Limit for each authenticated principal. Callers without authentication share `total`. */
  readonly perPrincipal: number;
}

/** Task in the queue. */
export interface QueuedTask {
  readonly taskId: string;
  readonly principal: string | null;
}

/** Queued and running tasks of one principal. */
interface Lane {
  readonly waiting: Set<string>;
  /** Running tasks that must run again afterwards. */
  readonly again: Set<string>;
  running: number;
}

/** Queue with one lane per principal. Each task waits at most once, and does not run twice at the same time. */
export class FairQueue {
  readonly #limits: ConcurrencyLimits;
  readonly #lanes = new Map<string | null, Lane>();
  /** Principals whose next task can start. The first one is next. */
  readonly #ready = new Set<string | null>();
  readonly #running = new Set<string>();

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  /** True if a task can start now. */
  get isReady(): boolean {
    return this.#ready.size > 0 && this.#running.size < this.#limits.total;
  }

  /** Number of tasks that wait for a worker. */
  get size(): number {
    return [...this.#lanes.values()].reduce((sum, { waiting, again }) => sum + waiting.size + again.size, 0);
  }

  /** Number of running tasks. */
  get running(): number {
    return this.#running.size;
  }

  /** Adds a task. Has no effect if the task is waiting already. A running task waits until its run has ended. */
  push({ taskId, principal }: QueuedTask): void {
    const lane = this.#lanes.get(principal) ?? { waiting: new Set(), again: new Set(), running: 0 };
    this.#lanes.set(principal, lane);
    (this.#running.has(taskId) ? lane.again : lane.waiting).add(taskId);
    this.#updateReady(principal, lane);
  }

  /** Removes and returns the next task, and counts it as running. Returns `undefined` if a limit is reached. */
  take(): QueuedTask | undefined {
    if (this.#running.size >= this.#limits.total) return undefined;
    for (const principal of this.#ready) {
      const lane = this.#lanes.get(principal);
      const [taskId] = lane?.waiting ?? [];
      if (lane === undefined || taskId === undefined) continue;
      lane.waiting.delete(taskId);
      lane.running++;
      this.#running.add(taskId);
      // The principal goes to the end of the queue.
      this.#ready.delete(principal);
      this.#updateReady(principal, lane);
      return { taskId, principal };
    }
    return undefined;
  }

  /** Stops counting a task as running. */
  release({ taskId, principal }: QueuedTask): void {
    const lane = this.#lanes.get(principal);
    if (lane === undefined || !this.#running.delete(taskId)) return;
    lane.running--;
    if (lane.again.delete(taskId)) lane.waiting.add(taskId);
    if (lane.running === 0 && lane.waiting.size === 0) this.#lanes.delete(principal);
    else this.#updateReady(principal, lane);
  }

  #updateReady(principal: string | null, { waiting, running }: Lane): void {
    const limit = principal === null ? this.#limits.total : this.#limits.perPrincipal;
    if (waiting.size > 0 && running < limit) this.#ready.add(principal);
    else this.#ready.delete(principal);
  }
}
