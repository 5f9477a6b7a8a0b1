/**
 * @fileoverview Handlers that still run although their tasks have ended. They have no place among the running tasks, so
 * they are counted here. Otherwise, a client could start any number of them by cancelling its tasks.
 * @module tenon/tasks/running/abandoned-handlers
 */
import type { ConcurrencyLimits } from "../engine/fair-queue.js";

/** Handlers that did not stop when their tasks ended. */
export class AbandonedHandlers {
  readonly #limits: ConcurrencyLimits;
  /** Number of abandoned handlers, by principal. */
  readonly #counts = new Map<string | null, number>();
  /** Functions that abandon a handler if the limits allow it. */
  readonly #waiting = new Set<() => boolean>();
  #total = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  /** Resolves when a handler may lose its place. At a limit, it keeps the place until another handler has ended. */
  add(principal: string | null, handler: Promise<unknown>): Promise<"abandoned"> {
    return new Promise((resolve) => {
      const abandon = () => {
        if (!this.#hasRoom(principal)) return false;
        this.#count(principal, 1);
        const end = () => this.#count(principal, -1);
        handler.then(end, end);
        resolve("abandoned");
        return true;
      };
      if (abandon()) return;
      this.#waiting.add(abandon);
      const forget = () => this.#waiting.delete(abandon);
      handler.then(forget, forget);
    });
  }

  #hasRoom(principal: string | null): boolean {
    const { total, perPrincipal } = this.#limits;
    const isOwnFull = principal !== null && (this.#counts.get(principal) ?? 0) >= perPrincipal;
    return this.#total < total && !isOwnFull;
  }

  #count(principal: string | null, change: 1 | -1): void {
    const count = (this.#counts.get(principal) ?? 0) + change;
    this.#total += change;
    if (count > 0) this.#counts.set(principal, count);
    else this.#counts.delete(principal);
    if (change < 0) for (const abandon of this.#waiting) if (abandon()) this.#waiting.delete(abandon);
  }
}
