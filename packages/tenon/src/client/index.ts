/**
 * @fileoverview `tenon/client`: an MCP client in memory, over stdio, and over HTTP.
 * @module tenon/client
 */
export type { Client } from "./client.js";
export type {
  ClientOptions,
  RemoteClientOptions,
  RequestOptions,
  SharedClientOptions,
} from "./client-options.js";
export type { CallArguments, CallResult, InferServer } from "./client-types.js";
export { createClient, type RemoteServer } from "./create-client.js";
export { ClientError, ConnectionError } from "./errors.js";
export type { RequestHandlers, UserAnswer } from "./handlers.js";
export type { TaskHandle } from "./task-handle.js";
export type { AuthChallenge, ClientAuthorization } from "./transports/authorization.js";
export type { Trace, TracedMessage } from "./transports/trace.js";
