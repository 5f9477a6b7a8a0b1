/**
 * @fileoverview A request inside the core, and the services of the server.
 * @module core/incoming
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import type { ErrorName, LogLevel, RequestId, ResultEncoder } from "../../protocol/index.js";
import type { ChangeFeed } from "../wire/changes.js";
import type { Closing } from "../wire/closing.js";
import type { Caller } from "../wire/caller.js";
import type { Exchange } from "../wire/exchange.js";
import type { Load } from "../wire/load.js";
import type { LogSink } from "../wire/log.js";
import { type ErrorReply, errorResponse, type McpResponse } from "../wire/response.js";
import type { Sealer } from "./state.js";

/** Services of a server, for its whole lifetime. */
export interface Services {
  readonly ports: Ports;
  readonly sealer: Sealer;
  readonly changes: ChangeFeed;
  readonly log: LogSink | undefined;
  /** Log level of a legacy client that has not set one. */
  readonly logLevel: LogLevel;
  /** True if the message of an unexpected error may be sent to the model. */
  readonly exposeErrors: boolean;
  /** JSON-RPC error code for an unknown tool, if it differs from the default. */
  readonly unknownToolCode: number | undefined;
  /** Calls in flight of all clients. */
  readonly load: Load;
  /** Tasks to run when the server closes. */
  readonly closing: Closing;
}

/** Request with its caller and the encoder of its revision. */
export interface Incoming {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly context: unknown;
  readonly exchange: Exchange | undefined;
  readonly caller: Caller;
  readonly encoder: ResultEncoder;
  readonly services: Services;
}

/** Creates an error response in the era of the request. */
export function refuse(incoming: Incoming, error: ErrorName, message: string): McpResponse {
  return refuseWith(incoming, { error, message });
}

/** Creates an error response in the era of the request, with optional data and error code. */
export function refuseWith(incoming: Incoming, reply: Omit<ErrorReply, "era">): McpResponse {
  return errorResponse(incoming.id, { ...reply, era: incoming.encoder.traits.era });
}
