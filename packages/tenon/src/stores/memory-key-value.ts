/**
 * @fileoverview In-memory key-value store. Its content is lost when the process exits.
 * @module tenon/stores/memory-key-value
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { integer } from "@tenon/internal/options/option-rows";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { parseName } from "@tenon/internal/names/store-arguments";
import { expiryOf, weigh } from "./arguments.js";
import { type ExpiringEntry, ExpiringMap } from "@tenon/internal/collections/expiring-map";
import type { KeyValueStore, WriteOptions } from "./ports.js";
import { fullStoreError, usedShareError } from "./store-error.js";

/** Limits of a key-value store. When a limit is reached and no entry has expired, writes are rejected. */
export const KEY_VALUE_LIMITS = /* @__PURE__ */ defineOptions("createMemoryKeyValueStore", {
  /**
   * Maximum number of keys. Stops clients from filling memory with entries.
   * @default 100000
   */
  maxKeys: integer({ default: 100_000 }),
  /**
   * Maximum total bytes of keys and values (UTF-8, plus 100 for each entry). Stops clients from filling memory with a
   * few long entries.
   * @default 64 MiB
   */
  maxTotalBytes: integer({ default: 64 * 1024 * 1024 }),
});

/** Options for `createMemoryKeyValueStore`. When a limit is reached and no entry has expired, writes are rejected. */
export interface MemoryKeyValueOptions extends OptionsOf<typeof KEY_VALUE_LIMITS> {
  /** Replacement for the system clock, for tests and special runtimes. */
  readonly ports?: Partial<Ports> | undefined;
}

/**
 * Creates an empty store. When it is full, writes reject with a `StoreError` (code `full`). Entries that have
 * not expired are never evicted.
 */
export function createMemoryKeyValueStore(options: MemoryKeyValueOptions = {}): KeyValueStore {
  return createMemoryEntries(options).store;
}

/** Entry of an in-memory store. */
export interface MemoryEntry extends ExpiringEntry {
  readonly value: string;
  /** Owner that the entry counts for. */
  readonly owner: string | undefined;
  readonly label: string | undefined;
}

/** Receives the changes of an in-memory store's entries. */
export interface EntryListener {
  /** Called when an entry was added, also instead of an older one with the same key. */
  readonly onAdd: (entry: MemoryEntry) => void;
  /** Called when the expiry time of an entry has changed. */
  readonly onMove: (entry: MemoryEntry) => void;
  /** Called when an entry was removed, replaced, or has expired. */
  readonly onDrop: (entry: MemoryEntry) => void;
}

/** In-memory store, and access to its entries. */
export interface MemoryEntries {
  readonly store: KeyValueStore;
  readonly entries: ExpiringMap<MemoryEntry>;
  readonly ports: Ports;
  /** Creates an entry for `ExpiringMap.add`. */
  readonly createEntry: (entry: EntryParts) => MemoryEntry;
  /** Creates the error for a full store. */
  readonly fullError: () => Error;
}

type EntryParts = Pick<MemoryEntry, "key" | "value" | "at" | "owner" | "label">;

/** Creates an empty store whose entries another store can use. */
export function createMemoryEntries(
  { ports: replaced, ...limits }: MemoryKeyValueOptions,
  listener?: EntryListener,
): MemoryEntries {
  const ports = withPorts(replaced);
  const { maxKeys: maxEntries, maxTotalBytes: maxBytes } = parseOptions(KEY_VALUE_LIMITS, limits);
  const bounds = { noun: "keys", option: "maxKeys", maxEntries, maxBytes };
  const fullError = () => fullStoreError(bounds);
  const entries = new ExpiringMap<MemoryEntry>({
    maxEntries,
    maxBytes,
    fullError: ({ isShare }) => (isShare ? usedShareError(bounds) : fullError()),
    // A store with a listener makes room in its own way.
    ...(listener === undefined ? { hasShares: true } : { onDrop: listener.onDrop }),
  });
  let writes = 0;
  const createEntry = ({ key, value, at, owner, label }: EntryParts): MemoryEntry => {
    writes += 1;
    const bytes = weigh(key, value, label ?? "");
    return { key, value, at, owner, label, bytes, order: writes, place: 0 };
  };
  const store = createStore({ entries, ports, createEntry, listener });
  return { store, entries, ports, createEntry, fullError };
}

interface StoreParts extends Pick<MemoryEntries, "entries" | "ports" | "createEntry"> {
  readonly listener: EntryListener | undefined;
}

function createStore({ entries, ports, createEntry, listener }: StoreParts): KeyValueStore {
  const write = (parts: Omit<EntryParts, "label">, now: number) => {
    const known = listener && entries.get(parts.key, now);
    const entry = createEntry({ ...parts, owner: known?.owner ?? parts.owner, label: known?.label });
    entries.put(entry, now);
    listener?.onAdd(entry);
  };
  return {
    async get(key) {
      const entry = entries.get(parseName(key), ports.now());
      return entry && { value: entry.value, version: versionOf(entry) };
    },
    async set(key, value, { ttlMs, owner }: WriteOptions = {}) {
      const now = ports.now();
      write({ key: parseName(key), value, at: expiryOf(now, ttlMs), owner: parseOwner(owner) }, now);
    },
    async compareAndSet(key, expectedVersion, { value, ttlMs, owner }) {
      const now = ports.now();
      const at = expiryOf(now, ttlMs);
      const entry = entries.get(parseName(key), now);
      if ((entry === undefined ? null : versionOf(entry)) !== expectedVersion) return false;
      write({ key, value, at, owner: parseOwner(owner) }, now);
      return true;
    },
    async delete(key) {
      return entries.delete(parseName(key), ports.now());
    },
    async touch(key, ttlMs) {
      const now = ports.now();
      const at = expiryOf(now, ttlMs);
      const entry = entries.get(parseName(key), now);
      if (entry === undefined) return false;
      entries.update(entry, { at, bytes: entry.bytes }, now);
      listener?.onMove(entry);
      return true;
    },
  };
}

function parseOwner(owner: string | undefined): string | undefined {
  return owner === undefined ? undefined : parseName(owner);
}

/** Returns the number of the write that created the entry. The store counts every write, so versions never repeat. */
function versionOf(entry: MemoryEntry): string {
  return String(entry.order);
}
