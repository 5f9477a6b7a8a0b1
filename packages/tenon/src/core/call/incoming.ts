/**
 * @fileoverview One request on its way through the core, and the services it may use.
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

/** Services that live as long as the server. */
export interface Services {
  readonly ports: Ports;
  readonly sealer: Sealer;
  readonly changes: ChangeFeed;
  readonly log: LogSink | undefined;
  /** Log level of a legacy client that has not set one. */
  readonly logLevel: LogLevel;
  /** True if the text of an unexpected error may reach the model. */
  readonly exposeErrors: boolean;
  /** Replaces the number of an unknown tool. */
  readonly unknownToolCode: number | undefined;
  /** Calls in flight, of all clients. */
  readonly load: Load;
  /** Ends every open subscription, when the server closes. */
  readonly closing: Closing;
}

/** One request, understood as far as its revision. */
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

/** Creates an error reply in the era of the request. */
export function refuse(incoming: Incoming, error: ErrorName, message: string): McpResponse {
  return refuseWith(incoming, { error, message });
}

/** Creates an error reply in the era of the request, with data or a code that replaces the usual one. */
export function refuseWith(incoming: Incoming, reply: Omit<ErrorReply, "era">): McpResponse {
  return errorResponse(incoming.id, { ...reply, era: incoming.encoder.traits.era });
}
