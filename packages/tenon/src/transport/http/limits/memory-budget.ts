/**
 * @fileoverview One limit for the memory that clients make an endpoint hold, and one deadline for clients that take
 * nothing of what is held for them.
 * @module transport/http/limits/memory-budget
 */
import type { Ports } from "@tenon/internal/ports";

/** A request or response that holds bytes for one client. */
export interface Holder {
  /** Number of bytes held now. */
  readonly heldBytes: number;
  /** True while the client alone decides how long the bytes are held. */
  readonly waitsForClient: boolean;
  /** Disconnects the client, so that nothing is held any more. */
  drop(): void;
}

/** Limits of a budget. */
export interface MemoryLimits {
  /**
   * Most bytes held at once. Beyond it, clients without progress for a second are disconnected, the longest wait first;
   * if there are none, the newcomer is.
   */
  readonly maxBytes: number;
  /** Longest time without progress, in milliseconds; without it there is no deadline. */
  readonly timeoutMs?: number;
}

/** Time without progress from which on a client gives way to others. */
const STALL_MS = 1_000;

interface Held {
  bytes: number;
  /** Time of the last progress. */
  since: number;
}

/** Keeps count of what is held for the clients of one endpoint. */
export class MemoryBudget {
  readonly #ports: Ports;
  readonly #limits: MemoryLimits;
  /** In the order of their last progress, the longest wait first. */
  readonly #holders = new Map<Holder, Held>();
  #total = 0;
  #stopTimer: (() => void) | undefined;

  constructor(ports: Ports, limits: MemoryLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** Counts what a holder has now. Its clock starts when it comes here first, and again with every progress. */
  update(holder: Holder, hasProgress: boolean): void {
    const held = this.#holders.get(holder);
    if (held === undefined) this.#add(holder, this.#ports.now());
    else this.#recount(holder, held, hasProgress);
    if (this.#total > this.#limits.maxBytes) this.#makeRoom(holder);
  }

  /** Forgets a holder. */
  remove(holder: Holder): void {
    const held = this.#holders.get(holder);
    if (held === undefined) return;
    this.#holders.delete(holder);
    this.#total -= held.bytes;
    if (this.#holders.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #add(holder: Holder, since: number): void {
    const bytes = holder.heldBytes;
    if (bytes === 0) return;
    this.#holders.set(holder, { bytes, since });
    this.#total += bytes;
    this.#watch();
  }

  #recount(holder: Holder, held: Held, hasProgress: boolean): void {
    const bytes = holder.heldBytes;
    if (bytes === 0) return this.remove(holder);
    this.#total += bytes - held.bytes;
    const hasMoved = hasProgress || bytes < held.bytes || !holder.waitsForClient;
    held.bytes = bytes;
    if (!hasMoved) return undefined;
    held.since = this.#ports.now();
    this.#holders.delete(holder);
    this.#holders.set(holder, held);
    return undefined;
  }

  /**
   * Frees a quarter of the budget, so that the next holder does not have to look through all of them again. A newcomer
   * that is larger than the whole budget has its place if the others leave it half of the budget.
   */
  #makeRoom(newcomer: Holder): void {
    const { maxBytes } = this.#limits;
    this.#recountAll();
    if (this.#total <= maxBytes) return;
    const before = this.#ports.now() - STALL_MS;
    for (const [holder, { since }] of this.#holders) {
      if (since > before || this.#total <= maxBytes * 0.75) break;
      if (holder !== newcomer) this.#drop(holder);
    }
    if (this.#total > maxBytes && this.#total - newcomer.heldBytes > maxBytes / 2) this.#drop(newcomer);
  }

  /** Goes through a copy: holders with progress move to the end. */
  #recountAll(): void {
    for (const [holder, held] of Array.from(this.#holders)) this.#recount(holder, held, false);
  }

  #drop(holder: Holder): void {
    this.remove(holder);
    holder.drop();
  }

  #watch(): void {
    const { timeoutMs } = this.#limits;
    if (timeoutMs === undefined) return;
    this.#stopTimer ??= this.#ports.startTimer(
      () => {
        this.#stopTimer = undefined;
        this.#recountAll();
        const before = this.#ports.now() - timeoutMs;
        for (const [holder, { since }] of Array.from(this.#holders)) if (since <= before) this.#drop(holder);
        if (this.#holders.size > 0) this.#watch();
      },
      Math.max(timeoutMs / 4, 1),
      true,
    );
  }
}
