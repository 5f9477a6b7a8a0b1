/**
 * @fileoverview Store that several nodes share: sessions, events, messages between nodes, limits, secrets, and tasks.
 * `serve` and the HTTP handlers take it as their `store` option.
 * @module tenon/stores/shared-store
 */
import type { TaskEngineSource } from "../tasks/engine/engine-source.js";
import type { Bus, EventLog, KeyValueStore, RateLimits, SessionRecords } from "./ports.js";

/** Number of tasks by state, for metrics. */
export interface TaskCounts {
  /** Tasks that wait for a worker. */
  readonly queued: number;
  /** Tasks that a worker runs. */
  readonly active: number;
  /** Tasks that have not been deleted, including finished ones. */
  readonly stored: number;
}

/** State that several nodes share. All nodes of a server use the same backend. */
export interface SharedStore extends TaskEngineSource {
  /** Backend and address for messages, without credentials, such as `Redis at 10.0.0.5:6379`. */
  readonly name: string;
  /** Records of sessions, limited in number. */
  readonly sessions: SessionRecords;
  /** Other records, such as the results of calls with an idempotency key. */
  readonly values: KeyValueStore;
  readonly events: EventLog;
  readonly bus: Bus;
  readonly rateLimits: RateLimits;
  /**
   * Returns secrets of at least 32 bytes, the same on every node. They encrypt the state of calls and all records of
   * servers without `state.keys`. The first one encrypts, and all of them decrypt.
   */
  secrets(): Promise<readonly Uint8Array[]>;
  /** Returns the number of tasks. Absent if the backend cannot count them. */
  countTasks?(): Promise<TaskCounts>;
  /**
   * Connects, if necessary. The returned function disconnects when every user of the store has called it.
   *
   * @param warn receives problems of the configuration that do not prevent a start, as sentences
   * @throws if the backend cannot be reached or cannot be used
   */
  open(warn: (warning: string) => void): Promise<() => Promise<void>>;
  /** Resolves if the backend accepts a write. @throws otherwise, within a few seconds */
  ping(): Promise<void>;
}

/** Returns true for an object with the functions and parts of a shared store. */
export function isSharedStore(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const store = value as Readonly<Record<string, unknown>>; // Safe: an object
  return (
    ["open", "ping", "secrets", "createTaskEngine"].every((name) => typeof store[name] === "function") &&
    ["sessions", "values", "events", "bus", "rateLimits"].every((name) => typeof store[name] === "object")
  );
}
