/**
 * @fileoverview In-memory key-value store. Its content is lost when the process exits.
 * @module stores/memory-key-value
 */
import { type Ports, withPorts } from "@tenon/internal/ports";
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import { expiryOf, weigh } from "./arguments.js";
import { type ExpiringEntry, ExpiringMap } from "@tenon/internal/collections/expiring-map";
import type { KeyValueStore, WriteOptions } from "./ports.js";
import { fullStoreError } from "./store-error.js";

/** Options for `createMemoryKeyValueStore`. When a limit is reached and no entry has expired, writes are rejected. */
export interface MemoryKeyValueOptions {
  /**
   * Maximum number of keys. Stops clients from filling memory with entries.
   * @default 100000
   */
  readonly maxKeys?: number;
  /**
   * Maximum total bytes of keys and values (UTF-8, plus 100 for each entry). Stops clients from filling memory with a
   * few long entries.
   * @default 64 MiB
   */
  readonly maxTotalBytes?: number;
  /** Replacement for the system clock, for tests and special runtimes. */
  readonly ports?: Partial<Ports>;
}

/**
 * Creates an empty store. When it is full, writes reject with a `StoreError` (code `full`). Entries that have
 * not expired are never evicted.
 */
export function createMemoryKeyValueStore(options: MemoryKeyValueOptions = {}): KeyValueStore {
  const ports = withPorts(options.ports);
  const maxEntries = parseWhole("maxKeys", options.maxKeys ?? 100_000);
  const maxTotal = parseWhole("maxTotalBytes", options.maxTotalBytes ?? 64 * 1024 * 1024);
  const entries = new ExpiringMap<Entry>({
    maxEntries,
    maxBytes: maxTotal,
    fullError: () => fullStoreError({ noun: "keys", option: "maxKeys", maxEntries, maxBytes: maxTotal }),
  });
  let writes = 0;

  const write = (entry: Pick<Entry, "key" | "value" | "at">, now: number) => {
    writes += 1;
    entries.put({ ...entry, bytes: weigh(entry.key, entry.value), order: writes, place: 0 }, now);
  };

  return {
    async get(key) {
      const entry = entries.get(parseName(key), ports.now());
      return entry && { value: entry.value, version: versionOf(entry) };
    },
    async set(key, value, { ttlMs }: WriteOptions = {}) {
      const now = ports.now();
      write({ key: parseName(key), value, at: expiryOf(now, ttlMs) }, now);
    },
    async compareAndSet(key, expectedVersion, { value, ttlMs }) {
      const now = ports.now();
      const at = expiryOf(now, ttlMs);
      const entry = entries.get(parseName(key), now);
      if ((entry === undefined ? null : versionOf(entry)) !== expectedVersion) return false;
      write({ key, value, at }, now);
      return true;
    },
    async delete(key) {
      return entries.delete(parseName(key), ports.now());
    },
    async touch(key, ttlMs) {
      const now = ports.now();
      const at = expiryOf(now, ttlMs);
      const entry = entries.get(parseName(key), now);
      if (entry !== undefined) entries.update(entry, { at, bytes: entry.bytes }, now);
      return entry !== undefined;
    },
  };
}

interface Entry extends ExpiringEntry {
  readonly value: string;
}

/** Returns the number of the write that created the entry. The store counts every write, so versions never repeat. */
function versionOf(entry: Entry): string {
  return String(entry.order);
}
