/**
 * @fileoverview `tenon/stores`: ports for shared or durable state, their in-memory adapters, and idempotency
 * keys.
 * @module tenon/stores
 */
export { idempotency, type IdempotencyOptions } from "./idempotency/idempotency.js";
export { createMemoryBus, type MemoryBusOptions } from "./memory-bus.js";
export { createMemoryEventLog, type MemoryEventLogOptions } from "./memory-event-log.js";
export { createMemoryKeyValueStore, type MemoryKeyValueOptions } from "./memory-key-value.js";
export { createMemoryQueue, type MemoryQueueOptions } from "./memory-queue.js";
export { createMemoryRateLimits, type MemoryRateLimitsOptions } from "./memory-rate-limits.js";
export { createMemoryStore, type MemoryStoreOptions } from "./memory-store.js";
export type {
  AppendOptions,
  Bus,
  BusListener,
  CreatedRecord,
  DelayOptions,
  EventLog,
  EventLogLimits,
  EventRead,
  KeyValueEntry,
  KeyValueStore,
  Lease,
  LoggedEvent,
  NewValue,
  OwnedRecord,
  Queue,
  QueueLimits,
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
