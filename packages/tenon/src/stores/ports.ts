/**
 * @fileoverview Ports for state that outlives a process or is shared by several processes. Stored values are
 * well-formed text (no lone surrogates). Every operation is atomic. Names are 1 to 1,024 characters long, and times are
 * whole milliseconds. Invalid arguments cause a `RangeError`.
 * @module tenon/stores/ports
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** Stored value and its version. */
export interface KeyValueEntry {
  readonly value: string;
  /** Opaque version. Every write creates a new version. Versions never repeat, even after a deletion. */
  readonly version: string;
}

/** Options for writing a value. */
export interface WriteOptions {
  /**
   * Milliseconds until the entry expires.
   * @default no expiration; removes any previous one
   */
  readonly ttlMs?: number | undefined;
  /**
   * Opaque ID of the owner that the entry counts for. A store with limits gives each owner a fair share, so that one
   * cannot fill it: a write is rejected if less than three times of what its owner has would stay free. The owner
   * `anonymous` stands for all callers without authentication and may use three quarters of the store.
   * @default the entry belongs to the server itself, and only the limits for all entries apply
   */
  readonly owner?: string | undefined;
}

/** Value to write, and its lifetime. */
export interface NewValue extends WriteOptions {
  readonly value: string;
}

/** Key-value store for text. Use `compareAndSet` for values with more than one writer. */
export interface KeyValueStore {
  /** Returns the entry, or `undefined` if the key does not exist or has expired. */
  get(key: string): Promise<KeyValueEntry | undefined>;
  /** Writes a value unconditionally. */
  set(key: string, value: string, options?: WriteOptions): Promise<void>;
  /**
   * Writes a value if the current version is `expectedVersion`. With `null`, writes only if the key does not exist.
   * Returns true if the value was written.
   */
  compareAndSet(key: string, expectedVersion: string | null, replacement: NewValue): Promise<boolean>;
  /** Deletes an entry. Returns false if the key does not exist. */
  delete(key: string): Promise<boolean>;
  /** Sets the lifetime to `ttlMs` from now and keeps the value and version. Returns false if the key does not exist. */
  touch(key: string, ttlMs: number): Promise<boolean>;
}

/** Record to create, and the owner that it counts for. */
export interface OwnedRecord extends NewValue {
  /**
   * Opaque ID of the owner. All keys of an owner start with the same two characters, so that a backend with shards can
   * store them together.
   * @default records without an owner, which count together and have no limit of their own
   */
  readonly owner?: string | undefined;
  /**
   * Maximum number of records of this owner.
   * @default no limit
   */
  readonly maxPerOwner?: number | undefined;
  /**
   * Text that is returned if another record takes the place of this one. It is stored as it is, so encrypt secrets.
   * @default the removal is not reported
   */
  readonly label?: string | undefined;
}

/** Outcome of `create`. */
export interface CreatedRecord {
  /** False if the key exists. Nothing has changed then. */
  readonly created: boolean;
  /** Labels of the records that were removed to make room. */
  readonly displaced: readonly string[];
}

/** Key-value store for sessions. It limits the number of its records in a way that is fair to their owners. */
export interface SessionRecords extends KeyValueStore {
  /**
   * Creates a record if the key does not exist. If `owner` has `maxPerOwner` records, its own record that is closest to
   * its expiry is removed. If the store is full, the owner with the most records loses the one that is closest to its
   * expiry. An owner never takes a record from others that have as few as itself, and loses its own instead. Later writes
   * to the record do not change its owner and label.
   * @throws {StoreError} with code `full` if there is no room
   */
  create(key: string, record: OwnedRecord): Promise<CreatedRecord>;
}

/** Event in a stream. */
export interface LoggedEvent {
  readonly id: string;
  readonly event: string;
}

/** Options for `append`. */
export interface AppendOptions {
  /**
   * Event ID. If the stream already contains it, the append has no effect, so an append can be retried safely.
   * @default a new ID that is unique in the log
   */
  readonly id?: string | undefined;
}

/**
 * Outcome of a read. `unknown-id` means that the reader may have missed events: the ID never existed, or it was
 * trimmed, expired, or deleted. If the reader is up to date, `events` is empty.
 */
export type EventRead =
  | { readonly ok: true; readonly events: readonly LoggedEvent[] }
  | { readonly ok: false; readonly reason: "unknown-id" };

/** Event streams that readers can resume from the last event they received. */
export interface EventLog {
  /**
   * Appends an event to a stream and returns the event's ID. The first event creates the stream.
   * @throws {StoreError} with code `too-large` if the event exceeds `maxBytes`
   */
  append(stream: string, event: string, options?: AppendOptions): Promise<string>;
  /** Returns up to `limit` events after `afterId`, in order. Without `afterId`, starts at the oldest retained event. */
  read(stream: string, afterId?: string, limit?: number): Promise<EventRead>;
  /** Deletes a stream and its event IDs. Returns false if the stream does not exist. */
  delete(stream: string): Promise<boolean>;
}

/** Receives a channel's messages. Its errors do not affect the publisher or the other listeners. */
export type BusListener = (message: string) => MaybePromise<void>;

/** Options for `subscribe`. */
export interface SubscribeOptions {
  /** Called when messages may have been missed, such as after a lost connection to the backend was restored. */
  readonly onGap?: () => void;
}

/**
 * Publish-subscribe channels with at-most-once delivery. Messages are not stored. Messages from one publisher on one
 * channel arrive in order, and never before `publish` has returned its promise.
 */
export interface Bus {
  /** Sends a message to every listener on the channel, in every process. */
  publish(channel: string, message: string): Promise<void>;
  /**
   * Subscribes to a channel. Delivery starts when the promise resolves. It ends when the promise returned by the
   * unsubscribe function resolves.
   */
  subscribe(channel: string, listener: BusListener, options?: SubscribeOptions): Promise<() => Promise<void>>;
}

/** Number of points that a key may use per window. */
export interface RateLimitRule {
  /** Points per window. One attempt usually costs one point. */
  readonly limit: number;
  /** Window length in milliseconds. */
  readonly windowMs: number;
}

/** Result of one attempt. */
export interface RateLimitOutcome {
  readonly allowed: boolean;
  /** Points left in this window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Counters in fixed windows. A window starts with a key's first attempt. */
export interface RateLimits {
  /** Consumes points from a key's window, and opens the window if necessary. A rejected attempt consumes nothing. */
  consume(key: string, points: number, rule: RateLimitRule): Promise<RateLimitOutcome>;
  /** Returns a key's state without consuming points, or `undefined` if no window is open. */
  peek(key: string, rule: RateLimitRule): Promise<RateLimitOutcome | undefined>;
  /** Deletes the counter of a key. */
  reset(key: string): Promise<void>;
}
