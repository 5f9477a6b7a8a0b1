/**
 * @fileoverview The key-value store in memory: one process, gone with it.
 * @module stores/memory-key-value
 */
import { type Ports, withPorts } from "@tenon/internal/ports";
import { expiryOf, parseName, parseWhole, weigh } from "./arguments.js";
import { type ExpiringEntry, ExpiringMap } from "./expiring-map.js";
import type { KeyValueStore, WriteOptions } from "./ports.js";

/** Bounds of a key-value store in memory. Where one is reached and nothing has expired, a write is refused. */
export interface MemoryKeyValueOptions {
  /**
   * Most keys: stops clients from filling memory with entries of their own making.
   * @default 100000
   */
  readonly maxKeys?: number;
  /**
   * Most bytes of keys and values together (UTF-8, and 100 for each entry): stops a few from filling it with long ones.
   * @default 64 MiB
   */
  readonly maxTotalBytes?: number;
  /** The clock, for tests and unusual runtimes. */
  readonly ports?: Partial<Ports>;
}

/**
 * Creates an empty store. A write that finds it full rejects with a `StoreError`, code `full`; no entry that still
 * lives is ever evicted.
 */
export function createMemoryKeyValueStore(options: MemoryKeyValueOptions = {}): KeyValueStore {
  const ports = withPorts(options.ports);
  const entries = new ExpiringMap<Entry>({
    noun: "keys",
    maxEntries: parseWhole("maxKeys", options.maxKeys ?? 100_000),
    maxBytes: parseWhole("maxTotalBytes", options.maxTotalBytes ?? 64 * 1024 * 1024),
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

/** The number of the write that made the entry: the store counts them all, so none comes back. */
function versionOf(entry: Entry): string {
  return String(entry.order);
}
