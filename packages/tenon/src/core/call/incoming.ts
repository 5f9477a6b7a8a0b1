/**
 * @fileoverview Incoming requests, the services that all requests share, and helpers that create error responses.
 * @module tenon/core/call/incoming
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import type { ErrorName, LogLevel, RequestId, ResultEncoder } from "../../protocol/index.js";
import type { ChangeFeed } from "../wire/changes.js";
import type { RecordSealer } from "../wire/cluster-link.js";
import type { Closing } from "../wire/closing.js";
import type { Caller } from "../wire/caller.js";
import type { DetachedCall } from "./detached-call.js";
import type { Exchange } from "../wire/exchange.js";
import type { HandlerObserver } from "../wire/hosted-server.js";
import type { ListenStreams } from "../wire/listen-limits.js";
import type { Load } from "../wire/load.js";
import type { LogEntry, LogSink, Outage } from "../wire/log.js";
import { type ErrorReply, errorResponse, type McpResponse } from "../wire/response.js";
import type { KeyRing } from "./key-ring.js";
import type { Sealer } from "./state.js";

/** Services that live as long as the server. All requests share them. */
export interface Services {
  /** Name of the server. */
  readonly serverName: string;
  readonly ports: Ports;
  readonly keyRing: KeyRing;
  /** Encrypts the state of calls, with the key ring. */
  readonly sealer: Sealer;
  /** Encrypts records for a store, with the key ring. */
  readonly records: RecordSealer;
  readonly changes: ChangeFeed;
  readonly outage: Outage;
  /** Number of log entries by event. */
  readonly events: Map<LogEntry["event"], number>;
  /** Log sink. A transport sets it if the server was built without one. */
  log: LogSink | undefined;
  /** Minimum level of `call.log` messages for a legacy client that has not set a level. */
  readonly logLevel: LogLevel;
  /** True if the messages of unexpected errors may be sent to the model. */
  readonly exposeErrors: boolean;
  /** JSON-RPC error code for an unknown tool, if it differs from the default. */
  readonly unknownToolCode: number | undefined;
  /** Calls in flight, across all clients. */
  readonly load: Load;
  /** Open `subscriptions/listen` streams, across all clients. */
  readonly listenStreams: ListenStreams;
  /** Tasks that run when the server closes. */
  readonly closing: Closing;
  /** Observes handlers. It takes effect when a snapshot is created. */
  handlerObserver?: HandlerObserver;
}

/** Request with its caller, and the encoder for the caller's protocol revision. */
export interface Incoming {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly context: unknown;
  readonly exchange: Exchange | undefined;
  readonly caller: Caller;
  readonly encoder: ResultEncoder;
  readonly services: Services;
  /** Set if the handler runs after its request has been answered, as in a task. */
  readonly detached?: DetachedCall;
}

/** Creates an error response in the format of the request's protocol era. */
export function refuse(incoming: Incoming, error: ErrorName, message: string): McpResponse {
  return refuseWith(incoming, { error, message });
}

/** Creates an error response like `refuse`, with optional data and an optional custom error code. */
export function refuseWith(incoming: Incoming, reply: Omit<ErrorReply, "era">): McpResponse {
  return errorResponse(incoming.id, { ...reply, era: incoming.encoder.traits.era });
}
