/**
 * @fileoverview The ports behind which stands whatever must outlive a process or be shared by several. Values are
 * well-formed text (no lone surrogates) and every step is one atomic call, so that memory and a server such as Redis
 * keep the same contract. Names have 1 to 1,024 characters, times are whole milliseconds; others: `RangeError`.
 * @module stores/ports
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** A value and the version under which it was written. */
export interface KeyValueEntry {
  readonly value: string;
  /** Opaque; every write makes a new one, and none comes back, not even after a deletion. */
  readonly version: string;
}

/** Lifetime of a written value. */
export interface WriteOptions {
  /**
   * Milliseconds until the entry is gone.
   * @default it stays until it is deleted, whatever lifetime it had before
   */
  readonly ttlMs?: number;
}

/** A value to write, and how long it lives. */
export interface NewValue extends WriteOptions {
  readonly value: string;
}

/** Text under keys, with compare-and-set as the one way to change a value that others change too. */
export interface KeyValueStore {
  /** The entry, or `undefined` where there is none or it has expired. */
  get(key: string): Promise<KeyValueEntry | undefined>;
  /** Writes, whatever was there. */
  set(key: string, value: string, options?: WriteOptions): Promise<void>;
  /** Writes only over `expectedVersion` (`null`: only where there is no entry) and says whether it did. */
  compareAndSet(key: string, expectedVersion: string | null, replacement: NewValue): Promise<boolean>;
  /** Says whether there was an entry to delete. */
  delete(key: string): Promise<boolean>;
  /** Lets the entry live `ttlMs` from now, value and version unchanged; `false` where there is none. */
  touch(key: string, ttlMs: number): Promise<boolean>;
}

/** An event in its place in a stream. */
export interface LoggedEvent {
  readonly id: string;
  readonly event: string;
}

/** Options of an append. */
export interface AppendOptions {
  /**
   * The event's id. Where the stream holds that id nothing is appended, so an append may be retried.
   * @default a new id that no stream of the log has had
   */
  readonly id?: string;
}

/**
 * The outcome of a read. `unknown-id` means that events may be lost: the id was never there, or it was trimmed,
 * expired or deleted. Nothing new is `ok` with no events.
 */
export type EventRead =
  | { readonly ok: true; readonly events: readonly LoggedEvent[] }
  | { readonly ok: false; readonly reason: "unknown-id" };

/** The bounds that every event log keeps. */
export interface EventLogLimits {
  /**
   * Most events in a stream, the oldest go first: stops a reader who never comes back from filling the store.
   * @default 1000
   */
  readonly maxEvents?: number;
  /**
   * Most bytes of events in a stream (UTF-8), the oldest go first. A single event above it is refused.
   * @default 4 MiB
   */
  readonly maxBytes?: number;
  /**
   * Milliseconds after its last append at which a stream is gone: stops abandoned streams from piling up.
   * @default 3600000 (one hour)
   */
  readonly ttlMs?: number;
}

/** Streams of events that a reader can resume after the last event it saw. */
export interface EventLog {
  /**
   * Puts an event at the end of a stream, which begins with its first event, and gives the event's id.
   * @throws StoreError `too-large` for an event above `maxBytes`
   */
  append(stream: string, event: string, options?: AppendOptions): Promise<string>;
  /** The events after `afterId` (all that are kept, if it is left out) in order, at most `limit` of them. */
  read(stream: string, afterId?: string, limit?: number): Promise<EventRead>;
  /** Says whether there was a stream to delete. Its ids are unknown from then on. */
  delete(stream: string): Promise<boolean>;
}

/** Hears the messages of a channel. Whatever it throws stops neither the publisher nor the other listeners. */
export type BusListener = (message: string) => MaybePromise<void>;

/**
 * Messages to whoever listens now: at most once, nothing is kept. What one publisher says on one channel is heard in
 * that order, never before `publish` has returned its promise.
 */
export interface Bus {
  /** Sends to every listener of the channel, in every process. */
  publish(channel: string, message: string): Promise<void>;
  /** Listens from the moment the promise resolves, until the promise of the function it gives does. */
  subscribe(channel: string, listener: BusListener): Promise<() => Promise<void>>;
}

/** An item on loan to one worker. */
export interface Lease {
  readonly item: string;
  readonly leaseId: string;
  /** 1 for the first worker that gets the item; lets a worker give up on an item that kills every worker. */
  readonly attempt: number;
}

/** When an item can be pulled. */
export interface DelayOptions {
  /**
   * Milliseconds before the item can be pulled.
   * @default 0
   */
  readonly delayMs?: number;
}

/** The bounds that every queue keeps. */
export interface QueueLimits {
  /**
   * Most items in one queue, waiting, delayed or on loan: stops producers who outrun the workers.
   * @default 10000
   */
  readonly maxItems?: number;
}

/**
 * Work handed out at least once: an item stays until it is acknowledged, and comes back when its lease runs out.
 * Items are pulled in the order in which they become due, and in the order of their pushes where that is the same.
 */
export interface Queue {
  /** Adds an item, or gives `false` where there is no room. */
  push(queue: string, item: string, options?: DelayOptions): Promise<boolean>;
  /** Lends the next item that is due for `leaseMs`, or gives `undefined` where none is. */
  pull(queue: string, leaseMs: number): Promise<Lease | undefined>;
  /** Removes an item that is done; `false` where the lease has run out, and so another worker may have it. */
  acknowledge(leaseId: string): Promise<boolean>;
  /** Lets a lease last `leaseMs` from now; `false` where it has run out. */
  extend(leaseId: string, leaseMs: number): Promise<boolean>;
  /** Gives an item back before its lease runs out; `false` where it has. */
  release(leaseId: string, options?: DelayOptions): Promise<boolean>;
}
