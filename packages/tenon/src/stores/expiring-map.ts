/**
 * @fileoverview Map with limits on entries and bytes, and with entries that expire. It needs no timer: every access
 * removes a few expired entries, and a full map removes expired entries before it refuses a write.
 * @module stores/expiring-map
 */
import { createDueHeap, type Due } from "./due-heap.js";
import { StoreError } from "./store-error.js";

/** Entry that is due when it expires. Only the map writes its fields. */
export interface ExpiringEntry extends Due {
  readonly key: string;
  /** Bytes that count against `maxBytes`. */
  bytes: number;
}

/** Limits of a map, and the names used in error messages. */
export interface ExpiringMapLimits {
  readonly noun: string;
  /** Name of the option behind `maxEntries`. */
  readonly option: string;
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** Entries by key. Expired entries are never returned. */
export class ExpiringMap<E extends ExpiringEntry> {
  readonly #limits: ExpiringMapLimits;
  readonly #entries = new Map<string, E>();
  readonly #expiries = createDueHeap<E>();
  #bytes = 0;

  constructor(limits: ExpiringMapLimits) {
    this.#limits = limits;
  }

  /** Finds an entry, and removes a few expired ones. */
  get(key: string, now: number): E | undefined {
    let budget = CLEARED_PER_ACCESS;
    while (budget > 0 && this.#dropOneExpired(now)) budget -= 1;
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.at > now) return entry;
    this.#drop(entry);
    return undefined;
  }

  /**
   * Adds an entry, or replaces the one with the same key.
   * @throws StoreError `full` if removing expired entries does not free enough space
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
   * Changes the expiry time and the bytes of an entry in the map.
   * @throws StoreError `full` if removing expired entries does not free enough space
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
    const { noun, option, maxEntries, maxBytes } = this.#limits;
    const fits = () =>
      this.#entries.size + more.entries <= maxEntries && this.#bytes + more.bytes <= maxBytes;
    while (!fits()) {
      if (this.#dropOneExpired(now)) continue;
      throw new StoreError(
        "full",
        `Store limit reached (${maxEntries} ${noun}, ${maxBytes} bytes). ` +
          `Raise \`${option}\` or \`maxTotalBytes\`, or delete unused ${noun}.`,
      );
    }
  }
}

/**
 * Number of expired entries removed per access. More than one, so that removal outpaces writes; few, so that no
 * access removes thousands.
 */
const CLEARED_PER_ACCESS = 16;
