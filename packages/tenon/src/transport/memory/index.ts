/**
 * @fileoverview `tenon/testing`: a typed in-memory client and its transport.
 * @module testing
 */
export { type CallArguments, type CallResult, type Client, createClient } from "./client.js";
export { ClientError } from "./client-error.js";
export type { ClientOptions, RequestOptions } from "./client-options.js";
export type { FakeInputAnswer, Fakes } from "./fakes.js";
export type { ContextOption, OptionsFor } from "../options-for.js";
export {
  type MemoryTransport,
  type MemoryTransportOptions,
  openMemoryTransport,
} from "./memory-transport.js";
export type { TaskHandle } from "./task-handle.js";
