/**
 * @fileoverview `tenon/stores`: ports for shared or durable state, their in-memory adapters, and idempotency
 * keys.
 * @module tenon/stores
 */
export type { EventLogLimits } from "./event-limits.js";
export { idempotency } from "./idempotency/idempotency.js";
export type { IdempotencyOptions } from "./idempotency/options.js";
export { createMemoryKeyValueStore } from "./memory-key-value.js";
export { createMemoryStore, type MemoryStoreOptions } from "./memory-store.js";
export type {
  AppendOptions,
  Bus,
  BusListener,
  CreatedRecord,
  EventLog,
  EventRead,
  KeyValueEntry,
  KeyValueStore,
  LoggedEvent,
  NewValue,
  OwnedRecord,
  RateLimitOutcome,
  RateLimitRule,
  RateLimits,
  SessionRecords,
  SubscribeOptions,
  WriteOptions,
} from "./ports.js";
export type { SharedStore, TaskCounts } from "./shared-store.js";
export { StoreError } from "./store-error.js";
