/**
 * @fileoverview `tenon/testing`: the typed client for tests, and the in-memory transport under it.
 * @module testing
 */
export type { Client } from "../client/client.js";
export type { ClientOptions, RequestOptions } from "../client/client-options.js";
export type { CallArguments, CallResult } from "../client/client-types.js";
export { createClient } from "../client/create-client.js";
export { ClientError } from "../client/errors.js";
export type { RequestHandlers, UserAnswer } from "../client/handlers.js";
export type { TaskHandle } from "../client/task-handle.js";
export {
  type MemoryTransport,
  type MemoryTransportOptions,
  openMemoryTransport,
} from "../transport/memory/memory-transport.js";
export type { ContextOption, OptionsFor } from "../transport/options-for.js";
