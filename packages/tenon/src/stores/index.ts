/**
 * @fileoverview `tenon/stores`: ports for shared or durable state, their in-memory adapters, and idempotency
 * keys.
 * @module tenon/stores
 */
export type { EventLogLimits } from "./event-limits.js";
export { idempotency } from "./idempotency/idempotency.js";
export type { IdempotencyOptions } from "./idempotency/options.js";
export { createMemoryBus, type MemoryBusOptions } from "./memory-bus.js";
export { createMemoryEventLog, type MemoryEventLogOptions } from "./memory-event-log.js";
export { createMemoryKeyValueStore, type MemoryKeyValueOptions } from "./memory-key-value.js";
export { createMemoryRateLimits, type MemoryRateLimitsOptions } from "./memory-rate-limits.js";
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
export type { RecordSealer } from "../core/wire/cluster-link.js";
export type { SharedStore, TaskCounts } from "./shared-store.js";
export { StoreError, type StoreErrorCode } from "./store-error.js";
