/**
 * @fileoverview One limit for the memory that clients make an endpoint hold, and one deadline for clients that take
 * nothing of what is held for them.
 * @module transport/http/memory-budget
 */
import type { Ports } from "../../internal/ports.js";

/** A request or response that holds bytes for one client. */
export interface Holder {
  /** Number of bytes held now. */
  readonly heldBytes: number;
  /** True while the client alone decides how long the bytes are held. */
  readonly waitsForClient: boolean;
  /** Its place in the budget, which the budget sets. */
  place: Place | undefined;
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

/** A place in the line of holders, in the order of their last progress. */
interface Place {
  readonly holder: Holder;
  bytes: number;
  /** Time of the last progress. */
  since: number;
  /** Neighbors with an earlier, and a later, progress. */
  before: Place | undefined;
  after: Place | undefined;
}

/**
 * Keeps count of what is held for the clients of one endpoint. Holders know their places, and places their neighbors: a
 * map of short-lived holders costs a request of 100 kB a tenth of its time, because they outlive a collection in it.
 */
export class MemoryBudget {
  readonly #ports: Ports;
  readonly #limits: MemoryLimits;
  /** The longest wait. */
  #first: Place | undefined;
  #last: Place | undefined;
  #total = 0;
  #stopTimer: (() => void) | undefined;

  constructor(ports: Ports, limits: MemoryLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** Counts what a holder has now. Its clock starts when it comes here first, and again with every progress. */
  update(holder: Holder, hasProgress: boolean): void {
    const { place } = holder;
    if (place === undefined) this.#add(holder);
    else this.#recount(place, hasProgress);
    if (this.#total > this.#limits.maxBytes) this.#makeRoom(holder);
  }

  /** Forgets a holder. */
  remove(holder: Holder): void {
    const { place } = holder;
    if (place === undefined) return;
    holder.place = undefined;
    this.#total -= place.bytes;
    this.#unlink(place);
    if (this.#first !== undefined) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #add(holder: Holder): void {
    const bytes = holder.heldBytes;
    if (bytes === 0) return;
    const place: Place = { holder, bytes, since: 0, before: undefined, after: undefined };
    holder.place = place;
    this.#total += bytes;
    this.#append(place);
    this.#watch();
  }

  #recount(place: Place, hasProgress: boolean): void {
    const { holder } = place;
    const bytes = holder.heldBytes;
    if (bytes === 0) return this.remove(holder);
    const hasMoved = hasProgress || bytes < place.bytes || !holder.waitsForClient;
    this.#total += bytes - place.bytes;
    place.bytes = bytes;
    if (!hasMoved) return undefined;
    this.#unlink(place);
    this.#append(place);
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
    for (const { holder } of this.#stalled(STALL_MS)) {
      if (this.#total <= maxBytes * 0.75) break;
      if (holder !== newcomer) this.#drop(holder);
    }
    if (this.#total > maxBytes && this.#total - newcomer.heldBytes > maxBytes / 2) this.#drop(newcomer);
  }

  /** Sees progress that nobody told of. */
  #recountAll(): void {
    for (const place of this.#places()) this.#recount(place, false);
  }

  /** Places without progress for so many milliseconds, the longest wait first. */
  #stalled(ms: number): readonly Place[] {
    const until = this.#ports.now() - ms;
    return this.#places().filter(({ since }) => since <= until);
  }

  #places(): readonly Place[] {
    const places: Place[] = [];
    for (let place = this.#first; place !== undefined; place = place.after) places.push(place);
    return places;
  }

  #append(place: Place): void {
    place.since = this.#ports.now();
    place.before = this.#last;
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
  }

  #unlink(place: Place): void {
    const { before, after } = place;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    place.before = undefined;
    place.after = undefined;
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
        for (const { holder } of this.#stalled(timeoutMs)) this.#drop(holder);
        if (this.#first !== undefined) this.#watch();
      },
      Math.max(timeoutMs / 4, 1),
      true,
    );
  }
}
