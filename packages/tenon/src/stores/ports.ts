/**
 * @fileoverview Ports for state that outlives a process or is shared by several. Values are well-formed text (no lone
 * surrogates), and every operation is one atomic call, so that memory and a server such as Redis fulfill the same
 * contract. Names have 1 to 1,024 characters, and times are whole milliseconds; other values throw a `RangeError`.
 * @module stores/ports
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** Value and its version. */
export interface KeyValueEntry {
  readonly value: string;
  /** Opaque version. Every write creates a new one, and versions never repeat, even after a deletion. */
  readonly version: string;
}

/** Lifetime of a written value. */
export interface WriteOptions {
  /**
   * Milliseconds until the entry expires.
   * @default the entry never expires, whatever its lifetime was before
   */
  readonly ttlMs?: number;
}

/** Value to write, and its lifetime. */
export interface NewValue extends WriteOptions {
  readonly value: string;
}

/** Key-value store for text. Use compare-and-set for values that several writers change. */
export interface KeyValueStore {
  /** Returns the entry, or `undefined` if there is none or it has expired. */
  get(key: string): Promise<KeyValueEntry | undefined>;
  /** Writes a value unconditionally. */
  set(key: string, value: string, options?: WriteOptions): Promise<void>;
  /**
   * Writes only if the current version is `expectedVersion` (`null`: only if there is no entry). Returns true if it
   * wrote.
   */
  compareAndSet(key: string, expectedVersion: string | null, replacement: NewValue): Promise<boolean>;
  /** Deletes an entry. Returns false if there was none. */
  delete(key: string): Promise<boolean>;
  /** Sets the lifetime to `ttlMs` from now. Value and version stay the same. Returns false if there is no entry. */
  touch(key: string, ttlMs: number): Promise<boolean>;
}

/** Event of a stream. */
export interface LoggedEvent {
  readonly id: string;
  readonly event: string;
}

/** Options of `append`. */
export interface AppendOptions {
  /**
   * Event id. If the stream already holds this id, nothing is appended, so that an append can be retried.
   * @default a new id that is unique in the log
   */
  readonly id?: string;
}

/**
 * Outcome of a read. `unknown-id` means that events may be lost: the id never existed, or it was trimmed, expired or
 * deleted. If there is nothing new, the outcome is `ok` without events.
 */
export type EventRead =
  | { readonly ok: true; readonly events: readonly LoggedEvent[] }
  | { readonly ok: false; readonly reason: "unknown-id" };

/** Limits of an event log. */
export interface EventLogLimits {
  /**
   * Maximum number of events in a stream. The oldest are removed first. Stops a reader that never returns from
   * filling the store.
   * @default 1000
   */
  readonly maxEvents?: number;
  /**
   * Maximum bytes of events in a stream (UTF-8). The oldest are removed first. A single larger event is refused.
   * @default 4 MiB
   */
  readonly maxBytes?: number;
  /**
   * Milliseconds after the last append until a stream expires. Stops abandoned streams from accumulating.
   * @default 3600000 (one hour)
   */
  readonly ttlMs?: number;
}

/** Event streams that a reader can resume after the last event it received. */
export interface EventLog {
  /**
   * Appends an event to a stream and returns the event's id. The first event creates the stream.
   * @throws StoreError `too-large` if the event exceeds `maxBytes`
   */
  append(stream: string, event: string, options?: AppendOptions): Promise<string>;
  /** Returns at most `limit` events after `afterId` in order, or from the oldest kept event without `afterId`. */
  read(stream: string, afterId?: string, limit?: number): Promise<EventRead>;
  /** Deletes a stream and its ids. Returns false if there was none. */
  delete(stream: string): Promise<boolean>;
}

/** Receives the messages of a channel. Its errors affect neither the publisher nor the other listeners. */
export type BusListener = (message: string) => MaybePromise<void>;

/**
 * Publish-subscribe messages with at-most-once delivery. Nothing is stored. The messages of one publisher on one
 * channel arrive in order, never before `publish` has returned its promise.
 */
export interface Bus {
  /** Sends a message to every listener of the channel, in every process. */
  publish(channel: string, message: string): Promise<void>;
  /** Subscribes from the moment the promise resolves until the promise of the returned function resolves. */
  subscribe(channel: string, listener: BusListener): Promise<() => Promise<void>>;
}

/** Item leased to one worker. */
export interface Lease {
  readonly item: string;
  readonly leaseId: string;
  /** Delivery attempt, starting at 1. Lets a worker give up on an item that crashes every worker. */
  readonly attempt: number;
}

/** Delay of an item. */
export interface DelayOptions {
  /**
   * Milliseconds before the item can be pulled.
   * @default 0
   */
  readonly delayMs?: number;
}

/** Limits of a queue. */
export interface QueueLimits {
  /**
   * Maximum number of items in one queue: waiting, delayed or leased. Stops producers that are faster than the
   * workers.
   * @default 10000
   */
  readonly maxItems?: number;
}

/**
 * Work queue with at-least-once delivery. An item stays until it is acknowledged, and can be pulled again when its
 * lease expires. Items are pulled in the order of their due times, and in push order if these are equal.
 */
export interface Queue {
  /** Adds an item. Returns false if there is no room. */
  push(queue: string, item: string, options?: DelayOptions): Promise<boolean>;
  /** Leases the next due item for `leaseMs`. Returns `undefined` if none is due. */
  pull(queue: string, leaseMs: number): Promise<Lease | undefined>;
  /** Removes a finished item. Returns false if the lease has expired, because another worker may have the item. */
  acknowledge(leaseId: string): Promise<boolean>;
  /** Extends a lease to `leaseMs` from now. Returns false if it has expired. */
  extend(leaseId: string, leaseMs: number): Promise<boolean>;
  /** Returns an item before its lease expires. Returns false if the lease has expired. */
  release(leaseId: string, options?: DelayOptions): Promise<boolean>;
}
