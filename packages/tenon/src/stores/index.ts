/**
 * @fileoverview `tenon/stores`: ports for shared or durable state, and their in-memory adapters.
 * @module tenon/stores
 */
export { createMemoryBus, type MemoryBusOptions } from "./memory-bus.js";
export { createMemoryEventLog, type MemoryEventLogOptions } from "./memory-event-log.js";
export { createMemoryKeyValueStore, type MemoryKeyValueOptions } from "./memory-key-value.js";
export { createMemoryQueue, type MemoryQueueOptions } from "./memory-queue.js";
export type {
  AppendOptions,
  Bus,
  BusListener,
  DelayOptions,
  EventLog,
  EventLogLimits,
  EventRead,
  KeyValueEntry,
  KeyValueStore,
  Lease,
  LoggedEvent,
  NewValue,
  Queue,
  QueueLimits,
  RateLimitOutcome,
  RateLimitRule,
  RateLimits,
  SubscribeOptions,
  WriteOptions,
} from "./ports.js";
export type { RecordSealer } from "../core/call/record-sealer.js";
export type { SharedStore, TaskCounts } from "./shared-store.js";
export { StoreError, type StoreErrorCode } from "./store-error.js";
