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
  /** What it counts against the bound on bytes. */
  bytes: number;
}

/** How much a map may hold, and what its entries are called in the error that refuses more. */
export interface ExpiringMapLimits {
  readonly noun: string;
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** Entries by key. An expired entry is never given out. */
export interface ExpiringMap<E extends ExpiringEntry> {
  get(key: string, now: number): E | undefined;
  /**
   * Adds an entry, or replaces the one with its key.
   * @throws StoreError `full` where clearing away the expired makes too little room
   */
  put(entry: E, now: number): void;
  /**
   * Changes when an entry of the map expires, and its bytes.
   * @throws StoreError `full` where clearing away the expired makes too little room
   */
  update(entry: E, at: number, bytes: number, now: number): void;
  delete(key: string, now: number): boolean;
}

/** Creates an empty map. */
export function createExpiringMap<E extends ExpiringEntry>(limits: ExpiringMapLimits): ExpiringMap<E> {
  const { noun, maxEntries, maxBytes } = limits;
  const entries = new Map<string, E>();
  const expiries = createDueHeap<E>();
  let bytes = 0;

  const drop = (entry: E) => {
    entries.delete(entry.key);
    expiries.remove(entry);
    bytes -= entry.bytes;
  };

  const dropOneExpired = (now: number): boolean => {
    const first = expiries.first();
    if (first === undefined || first.at > now) return false;
    drop(first);
    return true;
  };

  const makeRoom = (moreEntries: number, moreBytes: number, now: number) => {
    const fits = () => entries.size + moreEntries <= maxEntries && bytes + moreBytes <= maxBytes;
    while (!fits()) {
      if (dropOneExpired(now)) continue;
      throw new StoreError(
        "full",
        `No room: the store holds at most ${maxEntries} ${noun} of ${maxBytes} bytes`,
      );
    }
  };

  const get = (key: string, now: number): E | undefined => {
    let budget = CLEARED_PER_ACCESS;
    while (budget > 0 && dropOneExpired(now)) budget -= 1;
    const entry = entries.get(key);
    if (entry === undefined || entry.at > now) return entry;
    drop(entry);
    return undefined;
  };

  return {
    get,
    put(entry, now) {
      const old = get(entry.key, now);
      makeRoom(old === undefined ? 1 : 0, entry.bytes - (old?.bytes ?? 0), now);
      if (old !== undefined) drop(old);
      entries.set(entry.key, entry);
      expiries.add(entry);
      bytes += entry.bytes;
    },
    update(entry, at, newBytes, now) {
      if (newBytes > entry.bytes) makeRoom(0, newBytes - entry.bytes, now);
      bytes += newBytes - entry.bytes;
      entry.bytes = newBytes;
      expiries.move(entry, at);
    },
    delete(key, now) {
      const entry = get(key, now);
      if (entry !== undefined) drop(entry);
      return entry !== undefined;
    },
  };
}

/** More than one, so that clearing outruns writing; few, so that no access pays for thousands at once. */
const CLEARED_PER_ACCESS = 16;
