/**
 * @fileoverview Map whose entries expire, with limits on entries and bytes. It works without timers: each access
 * removes a few expired entries, and a full map removes expired entries before it rejects a write.
 * @module internal/collections/expiring-map
 */
import { createDueHeap, type Due } from "./due-heap.js";
import { hasShare } from "./fair-share.js";

/** `ExpiringMap` entry. Its due time is its expiry time. Only the map writes its fields. */
export interface ExpiringEntry extends Due {
  readonly key: string;
  /** Bytes that count against `maxBytes`. */
  bytes: number;
  /**
   * Owner that the entry counts for, if owners have fair shares.
   * @default the entry counts only toward the limits for all entries
   */
  readonly owner?: string | undefined;
}

/** Limit that a write exceeds, for all entries or for those of the entry's owner. */
export interface Exceeded {
  readonly unit: "entries" | "bytes";
  readonly isShare: boolean;
}

/** Limits for a map. */
export interface ExpiringMapLimits<E> {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** True if each owner has a fair share of both limits. */
  readonly hasShares?: boolean;
  /** Creates the error for a write that exceeds a limit. */
  readonly fullError: (exceeded: Exceeded) => Error;
  /** Called when an entry is removed, replaced, or has expired. */
  readonly onDrop?: (entry: E) => void;
}

/** Stores entries by key until they expire. Expired entries are never returned. */
export class ExpiringMap<E extends ExpiringEntry> {
  readonly #limits: ExpiringMapLimits<E>;
  readonly #entries = new Map<string, E>();
  readonly #expiries = createDueHeap<E>();
  readonly #owners = new Map<string, Usage>();
  #bytes = 0;

  constructor(limits: ExpiringMapLimits<E>) {
    this.#limits = limits;
  }

  /** Returns an entry. Each call also removes a few expired entries. */
  get(key: string, now: number): E | undefined {
    let budget = CLEARED_PER_ACCESS;
    while (budget > 0 && this.#dropOneExpired(now)) budget -= 1;
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.at > now) return entry;
    this.#drop(entry);
    return undefined;
  }

  /**
   * Adds an entry whose key does not exist. Calls `free` until there is room. `free` removes an entry or throws.
   * @throws the map's `fullError` if the entry exceeds `maxBytes` by itself
   */
  add(entry: E, now: number, free: () => void): void {
    if (entry.bytes > this.#limits.maxBytes) throw this.#limits.fullError({ unit: "bytes", isShare: false });
    this.#makeRoom({ entries: 1, bytes: entry.bytes, owner: undefined }, now, free);
    this.#insert(entry);
  }

  /**
   * Adds an entry that existed before, so its owner does not need a share for it.
   * @throws the map's `fullError` if removing expired entries does not free enough space
   */
  restore(entry: E, now: number): void {
    this.#makeRoom({ entries: 1, bytes: entry.bytes, owner: undefined }, now);
    this.#insert(entry);
  }

  /**
   * Adds an entry, or replaces the one with the same key.
   * @throws the map's `fullError` if removing expired entries does not free enough space
   */
  put(entry: E, now: number): void {
    const old = this.get(entry.key, now);
    const { owner } = entry;
    const entries = old === undefined ? 1 : 0;
    this.#makeRoom({ entries, bytes: entry.bytes - (old?.bytes ?? 0), owner }, now);
    if (old !== undefined) this.#drop(old);
    this.#insert(entry);
  }

  /**
   * Changes an entry's expiry time and size. The entry must be in the map.
   * @throws the map's `fullError` if removing expired entries does not free enough space
   */
  update(entry: E, { at, bytes }: Pick<ExpiringEntry, "at" | "bytes">, now: number): void {
    const more = bytes - entry.bytes;
    if (more > 0) this.#makeRoom({ entries: 0, bytes: more, owner: entry.owner }, now);
    this.#count(entry.owner, { entries: 0, bytes: more });
    entry.bytes = bytes;
    this.#expiries.move(entry, at);
  }

  /** Removes an entry. Returns false if the key does not exist. */
  delete(key: string, now: number): boolean {
    const entry = this.get(key, now);
    if (entry !== undefined) this.#drop(entry);
    return entry !== undefined;
  }

  /** Removes all expired entries. */
  clearExpired(now: number): void {
    while (this.#dropOneExpired(now));
  }

  /** Number of entries, including expired ones that have not been removed yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the number of an owner's entries, including expired ones that have not been removed yet. */
  countOf(owner: string): number {
    return this.#owners.get(owner)?.entries ?? 0;
  }

  /** Returns all entries, including expired ones that have not been removed yet. */
  entries(): Iterable<E> {
    return this.#entries.values();
  }

  #insert(entry: E): void {
    this.#entries.set(entry.key, entry);
    this.#expiries.add(entry);
    this.#count(entry.owner, { entries: 1, bytes: entry.bytes });
  }

  #drop(entry: E): void {
    this.#entries.delete(entry.key);
    this.#expiries.remove(entry);
    this.#count(entry.owner, { entries: -1, bytes: -entry.bytes });
    this.#limits.onDrop?.(entry);
  }

  #count(owner: string | undefined, change: Usage): void {
    this.#bytes += change.bytes;
    if (owner === undefined || this.#limits.hasShares !== true) return;
    const { entries, bytes } = this.#owners.get(owner) ?? NOTHING;
    const next = { entries: entries + change.entries, bytes: bytes + change.bytes };
    if (next.entries > 0) this.#owners.set(owner, next);
    else this.#owners.delete(owner);
  }

  #dropOneExpired(now: number): boolean {
    const first = this.#expiries.first();
    if (first === undefined || first.at > now) return false;
    this.#drop(first);
    return true;
  }

  /** Removes expired entries, and then calls `free`, until there is room. `free` removes an entry or throws. */
  #makeRoom(
    more: Usage & { readonly owner: string | undefined },
    now: number,
    free: (exceeded: Exceeded) => void = (exceeded) => {
      throw this.#limits.fullError(exceeded);
    },
  ): void {
    for (;;) {
      const exceeded = this.#findExceeded(more);
      if (exceeded === undefined) return;
      if (!this.#dropOneExpired(now)) free(exceeded);
    }
  }

  #findExceeded({ entries, bytes, owner }: Usage & { readonly owner: string | undefined }) {
    const { maxEntries, maxBytes, hasShares = false } = this.#limits;
    const { size } = this.#entries;
    if (size + entries > maxEntries) return { unit: "entries", isShare: false } as const;
    if (this.#bytes + bytes > maxBytes) return { unit: "bytes", isShare: false } as const;
    if (owner === undefined || !hasShares) return undefined;
    const own = this.#owners.get(owner) ?? NOTHING;
    if (entries > 0 && !hasShare({ owner, own: own.entries, more: entries, total: size, limit: maxEntries }))
      return { unit: "entries", isShare: true } as const;
    if (bytes > 0 && !hasShare({ owner, own: own.bytes, more: bytes, total: this.#bytes, limit: maxBytes }))
      return { unit: "bytes", isShare: true } as const;
    return undefined;
  }
}

/** Amount that an owner has, or that is added to it. */
interface Usage {
  readonly entries: number;
  readonly bytes: number;
}

const NOTHING: Usage = { entries: 0, bytes: 0 };

/**
 * Maximum number of expired entries removed per access. More than one, so that removal outpaces writes, but few enough
 * to keep each access fast.
 */
const CLEARED_PER_ACCESS = 16;
