/**
 * @fileoverview In-memory event log. Its content is lost when the process exits.
 * @module tenon/stores/memory-event-log
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { integer } from "@tenon/internal/options/option-rows";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import { utf8Length, weigh } from "./arguments.js";
import { type ExpiringEntry, ExpiringMap } from "@tenon/internal/collections/expiring-map";
import { createIdSource } from "./id-source.js";
import { EVENT_LIMITS } from "./event-limits.js";
import type { AppendOptions, EventLog, LoggedEvent } from "./ports.js";
import { fullStoreError, StoreError } from "./store-error.js";

/** Limits of an event log. */
export const EVENT_LOG_LIMITS = /* @__PURE__ */ defineOptions("createMemoryEventLog", {
  ...EVENT_LIMITS.rows,
  /**
   * Maximum number of streams. Stops clients from opening an unlimited number of them.
   * @default 10000
   */
  maxStreams: integer({ default: 10_000 }),
  /**
   * Maximum total bytes of all streams (names, IDs, and events in UTF-8, plus 100 for each stream and event). Stops
   * many streams, each within its own limits, from filling memory.
   * @default 256 MiB
   */
  maxTotalBytes: integer({ default: 256 * 1024 * 1024 }),
});

/**
 * Options for `createMemoryEventLog`. When `maxStreams` or `maxTotalBytes` is reached and no stream has expired,
 * appends are rejected.
 */
export interface MemoryEventLogOptions extends OptionsOf<typeof EVENT_LOG_LIMITS> {
  /** Replacements for the system clock and random source, for tests and special runtimes. */
  readonly ports?: Partial<Ports> | undefined;
}

/**
 * Creates an empty log. When it is full, `append` rejects with a `StoreError` (code `full`). The log never removes
 * events from one stream to make room for a different stream.
 */
export function createMemoryEventLog({ ports: replaced, ...options }: MemoryEventLogOptions = {}): EventLog {
  const ports = withPorts(replaced);
  const limits = parseOptions(EVENT_LOG_LIMITS, options);
  const { maxEvents, maxBytes, ttlMs, maxStreams: maxEntries, maxTotalBytes: maxTotal } = limits;
  const streams = new ExpiringMap<Stream>({
    maxEntries,
    maxBytes: maxTotal,
    fullError: () =>
      fullStoreError({ noun: "streams", option: "maxStreams", maxEntries, maxBytes: maxTotal }),
  });
  const nextId = createIdSource(ports);
  let opened = 0;

  return {
    async append(name, event, { id }: AppendOptions = {}) {
      const now = ports.now();
      const known = streams.get(parseName(name), now);
      if (id !== undefined && known?.numbers.has(parseName(id)) === true) return id;
      const stream = known ?? openStream(name, { order: opened++, at: now + ttlMs });
      const kept = toKeptEvent(id === undefined ? freshId(stream, nextId) : parseName(id), event);
      if (kept.size > maxBytes) {
        throw new StoreError(
          "too-large",
          `The event (${kept.size} bytes) is too large (limit: ${maxBytes} bytes). Raise \`maxBytes\`.`,
        );
      }
      const trim = measureTrim(stream, kept.size, { maxEvents, maxBytes });
      const bytes = stream.bytes + kept.weight - trim.weight;
      if (known !== undefined) streams.update(stream, { at: now + ttlMs, bytes }, now);
      else {
        stream.bytes = bytes;
        streams.put(stream, now);
      }
      record(stream, kept, trim);
      return kept.id;
    },
    async read(name, afterId, limit) {
      if (limit !== undefined) parseWhole("limit", limit);
      const stream = streams.get(parseName(name), ports.now());
      if (afterId === undefined) return { ok: true, events: stream?.events.slice(0, limit).map(told) ?? [] };
      const number = stream?.numbers.get(afterId);
      if (stream === undefined || number === undefined) return { ok: false, reason: "unknown-id" };
      const start = number - stream.trimmed + 1;
      const end = limit === undefined ? undefined : start + limit;
      return { ok: true, events: stream.events.slice(start, end).map(told) };
    },
    async delete(name) {
      return streams.delete(parseName(name), ports.now());
    },
  };
}

interface KeptEvent extends LoggedEvent {
  /** Bytes that count against the stream's limit. */
  readonly size: number;
  /** Bytes that count against the log's limit. */
  readonly weight: number;
}

interface Stream extends ExpiringEntry {
  /** Kept events, oldest first. */
  readonly events: KeptEvent[];
  /** Sequence number of each kept event, by ID. The first event of a stream is 0. */
  readonly numbers: Map<string, number>;
  /** Number of trimmed events, which is also the sequence number of the oldest kept event. */
  trimmed: number;
  /** Total size of the kept events in bytes. */
  size: number;
}

/** Count and size of the oldest events that must be removed from a stream. */
interface Trim {
  count: number;
  size: number;
  weight: number;
}

function openStream(key: string, due: { readonly order: number; readonly at: number }): Stream {
  return { key, events: [], numbers: new Map(), trimmed: 0, size: 0, bytes: weigh(key), place: 0, ...due };
}

function toKeptEvent(id: string, event: string): KeptEvent {
  return { id, event, size: utf8Length(event), weight: weigh(id, event) };
}

/** Determines how many events must be removed to make room for an event of `size` bytes. */
function measureTrim(stream: Stream, size: number, limits: { maxEvents: number; maxBytes: number }): Trim {
  const trim: Trim = { count: 0, size: 0, weight: 0 };
  for (const oldest of stream.events) {
    const hasPlace = stream.events.length - trim.count < limits.maxEvents;
    if (hasPlace && stream.size - trim.size + size <= limits.maxBytes) break;
    trim.count += 1;
    trim.size += oldest.size;
    trim.weight += oldest.weight;
  }
  return trim;
}

function record(stream: Stream, event: KeptEvent, trim: Trim): void {
  for (const { id } of stream.events.splice(0, trim.count)) stream.numbers.delete(id);
  stream.trimmed += trim.count;
  stream.size += event.size - trim.size;
  stream.numbers.set(event.id, stream.trimmed + stream.events.length);
  stream.events.push(event);
}

/** Returns an unused ID. A caller may have passed any text as an ID, even one that looks generated. */
function freshId(stream: Stream, nextId: () => string): string {
  let id = nextId();
  while (stream.numbers.has(id)) id = nextId();
  return id;
}

function told({ id, event }: KeptEvent): LoggedEvent {
  return { id, event };
}
