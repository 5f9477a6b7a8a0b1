/**
 * @fileoverview Options of a server and their defaults.
 * @module core/options
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import type { Implementation, LogLevel } from "../../protocol/index.js";
import type { JsonSchemaCompiler } from "../../schema/schema.js";
import type { LoadLimits } from "../wire/load.js";
import type { LogSink } from "../wire/log.js";
import type { StateOptions } from "../call/state.js";
import type { ValidationErrors } from "./tool.js";

/** Name, version and settings of a server. */
export interface ServerOptions extends Implementation, LoadLimits {
  /** Instructions for the model on how to use the server. */
  readonly instructions?: string;
  /** Validator for schemas given as JSON Schema; see `tenon/json-schema`. */
  readonly jsonSchema?: JsonSchemaCompiler;
  /**
   * Form in which invalid arguments are reported.
   * @default "result" for tools in code, so that the model can correct itself; "protocol" for declared ones
   */
  readonly validationErrors?: ValidationErrors;
  /**
   * JSON-RPC error code for an unknown tool.
   * @default -32601 in the legacy eras, -32602 in the modern one
   */
  readonly unknownToolCode?: number;
  /**
   * Maximum number of items on a page of a list.
   * @default all items on one page
   */
  readonly pageSize?: number;
  /**
   * Cache lifetime of lists in milliseconds (stateless era).
   * @default 60000
   */
  readonly listTtlMs?: number;
  /**
   * Timeout of every handler in milliseconds. A definition can override it.
   * @default none
   */
  readonly deadlineMs?: number;
  /**
   * Sends the message of unexpected errors to the model. Off by default so that internals do not leak. The message of
   * an `McpError` is always sent.
   * @default false
   */
  readonly exposeErrors?: boolean;
  /**
   * Minimum level of `call.log` messages for a legacy client that has not set a level.
   * @default "info"
   */
  readonly logLevel?: LogLevel;
  /** Receives the log entries of the core. */
  readonly log?: LogSink;
  /** Encryption of the state that a client keeps while it answers a request for input. */
  readonly state?: StateOptions;
  /** Experimental capabilities to declare. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
  /** Clock, timers, randomness and crypto, for tests and unusual runtimes. */
  readonly ports?: Partial<Ports>;
}
