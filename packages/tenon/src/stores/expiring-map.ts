/**
 * @fileoverview A map bounded in entries and bytes whose entries expire. It needs no timer: every access clears away
 * a few that have expired, and a full map clears what it must before it refuses.
 * @module stores/expiring-map
 */
import { createDueHeap, type Due } from "./due-heap.js";
import { StoreError } from "./store-error.js";

/** An entry, due when it expires. The map alone writes its fields. */
export interface ExpiringEntry extends Due {
  readonly key: string;
  /** Its share of the limit on bytes. */
  bytes: number;
}

/** Capacity of a map, and the name of its entries in the error for a full one. */
export interface ExpiringMapLimits {
  readonly noun: string;
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** Entries by key. An expired entry is never returned. */
export class ExpiringMap<E extends ExpiringEntry> {
  readonly #limits: ExpiringMapLimits;
  readonly #entries = new Map<string, E>();
  readonly #expiries = createDueHeap<E>();
  #bytes = 0;

  constructor(limits: ExpiringMapLimits) {
    this.#limits = limits;
  }

  /** Finds an entry, and clears away a few that have expired. */
  get(key: string, now: number): E | undefined {
    let budget = CLEARED_PER_ACCESS;
    while (budget > 0 && this.#dropOneExpired(now)) budget -= 1;
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.at > now) return entry;
    this.#drop(entry);
    return undefined;
  }

  /**
   * Adds an entry, or replaces the one with its key.
   * @throws StoreError `full` where clearing away the expired makes too little room
   */
  put(entry: E, now: number): void {
    const old = this.get(entry.key, now);
    this.#makeRoom({ entries: old === undefined ? 1 : 0, bytes: entry.bytes - (old?.bytes ?? 0) }, now);
    if (old !== undefined) this.#drop(old);
    this.#entries.set(entry.key, entry);
    this.#expiries.add(entry);
    this.#bytes += entry.bytes;
  }

  /**
   * Changes when an entry of the map expires, and its bytes.
   * @throws StoreError `full` where clearing away the expired makes too little room
   */
  update(entry: E, { at, bytes }: Pick<ExpiringEntry, "at" | "bytes">, now: number): void {
    const more = bytes - entry.bytes;
    if (more > 0) this.#makeRoom({ entries: 0, bytes: more }, now);
    this.#bytes += more;
    entry.bytes = bytes;
    this.#expiries.move(entry, at);
  }

  /** Removes an entry. Returns false if there is none. */
  delete(key: string, now: number): boolean {
    const entry = this.get(key, now);
    if (entry !== undefined) this.#drop(entry);
    return entry !== undefined;
  }

  #drop(entry: E): void {
    this.#entries.delete(entry.key);
    this.#expiries.remove(entry);
    this.#bytes -= entry.bytes;
  }

  #dropOneExpired(now: number): boolean {
    const first = this.#expiries.first();
    if (first === undefined || first.at > now) return false;
    this.#drop(first);
    return true;
  }

  #makeRoom(more: { readonly entries: number; readonly bytes: number }, now: number): void {
    const { noun, maxEntries, maxBytes } = this.#limits;
    const fits = () =>
      this.#entries.size + more.entries <= maxEntries && this.#bytes + more.bytes <= maxBytes;
    while (!fits()) {
      if (this.#dropOneExpired(now)) continue;
      throw new StoreError(
        "full",
        `No room: the store holds at most ${maxEntries} ${noun} of ${maxBytes} bytes`,
      );
    }
  }
}

/** More than one, so that clearing outruns writing; few, so that no access pays for thousands at once. */
const CLEARED_PER_ACCESS = 16;
