/**
 * @fileoverview One request on its way through the core, and the services it may use.
 * @module core/incoming
 */
import type { JsonObject } from "../internal/json.js";
import type { Ports } from "../internal/ports.js";
import type { ErrorName, LogLevel, RequestId, ResultEncoder } from "../protocol/index.js";
import type { ChangeFeed } from "./changes.js";
import type { Closing } from "./closing.js";
import type { Caller } from "./caller.js";
import type { Exchange } from "./exchange.js";
import type { Load } from "./load.js";
import type { LogSink } from "./log.js";
import { errorResponse, type McpResponse } from "./response.js";
import type { Sealer } from "./state.js";

/** What lives as long as the server. */
export interface Services {
  readonly ports: Ports;
  readonly sealer: Sealer;
  readonly changes: ChangeFeed;
  readonly log: LogSink | undefined;
  /** What a legacy client gets before it set a level of its own. */
  readonly logLevel: LogLevel;
  /** Whether the text of an unexpected error may reach the model. */
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

/** An error reply in the era of the request. */
export function refuse(
  incoming: Incoming,
  error: ErrorName,
  message: string,
  extra: { readonly data?: unknown; readonly code?: number | undefined } = {},
): McpResponse {
  return errorResponse(incoming.id, { error, message, era: incoming.encoder.traits.era, ...extra });
}

/** A name from a client, short enough to stand in an error. */
export function quoted(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name;
}
