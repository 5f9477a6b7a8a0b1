/**
 * @fileoverview Limits the memory that an endpoint holds for its clients, and the time that a client may go without
 * progress.
 * @module tenon/transport/http/limits/memory-budget
 */
import type { Ports } from "@tenon/internal/ports";

/** Request or response that holds bytes for one client. */
export interface Holder {
  /** Number of bytes currently held. */
  readonly heldBytes: number;
  /** True while only the client determines how long the bytes are held. */
  readonly waitsForClient: boolean;
  /** Releases the bytes: disconnects the client, or rejects its request. */
  drop(): void;
}

/** Memory budget limits. */
export interface MemoryLimits {
  /**
   * Maximum number of bytes held at the same time. Beyond this limit, clients without progress for one second are
   * disconnected, longest wait first. If every client makes progress, the one that exceeded the limit is disconnected.
   */
  readonly maxBytes: number;
  /** Maximum time without progress in milliseconds. No timeout if unset. */
  readonly timeoutMs?: number;
}

/** Time without progress after which a client may be disconnected to free memory, in milliseconds. */
const STALL_MS = 1_000;

interface Held {
  bytes: number;
  /** Time of the last progress. */
  since: number;
}

/** Tracks the bytes held for the clients of one endpoint. */
export class MemoryBudget {
  readonly #ports: Ports;
  readonly #limits: MemoryLimits;
  /** Ordered by last progress, oldest first. */
  readonly #holders = new Map<Holder, Held>();
  #total = 0;
  #stopTimer: (() => void) | undefined;

  constructor(ports: Ports, limits: MemoryLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** Updates a holder's byte count. The holder's timer starts with the first call and restarts on progress. */
  update(holder: Holder, hasProgress: boolean): void {
    const held = this.#holders.get(holder);
    if (held === undefined) this.#add(holder, this.#ports.now());
    else this.#recount(holder, held, hasProgress);
    if (this.#total > this.#limits.maxBytes) this.#makeRoom(holder);
  }

  /** Removes a holder and its bytes from the budget. */
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
   * Frees a quarter of the budget, so that the next update does not have to scan all holders again. A newcomer larger
   * than the whole budget is admitted if the other holders use at most half of it.
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

  /** Recounts all holders. Iterates over a copy, because holders with progress move to the end. */
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
