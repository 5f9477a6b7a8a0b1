/**
 * @fileoverview `tenon/client`: an MCP client in memory, over stdio, and over HTTP.
 * @module client
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
export {
  ClientError,
  ConnectionError,
  type ConnectionErrorCode,
  type ConnectionErrorDetails,
} from "./errors.js";
export type { RequestHandlers, UserAnswer } from "./handlers.js";
export type { TaskHandle } from "./task-handle.js";
export type { AuthChallenge, ClientAuthorization } from "./transports/authorization.js";
export type { ServerProgram } from "./transports/stdio.js";
export type { Trace, TracedHttp, TracedMessage } from "./transports/trace.js";
export type { ContextOption, OptionsFor } from "../transport/options-for.js";
