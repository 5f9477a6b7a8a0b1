/**
 * @fileoverview Server options and their defaults.
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

/** Options for `defineServer`: the server's name and version, its limits, and its defaults. */
export interface ServerOptions extends Implementation, LoadLimits {
  /** Instructions that tell the model how to use the server. */
  readonly instructions?: string;
  /** Compiles JSON Schemas to validators. Needed only for schemas written as JSON Schema; see `tenon/json-schema`. */
  readonly jsonSchema?: JsonSchemaCompiler;
  /**
   * Reports invalid arguments as a JSON-RPC error ("protocol") or as a tool result that the model sees ("result").
   * @default "result" for tools defined in code, so that the model can correct the call; "protocol" for declared tools
   */
  readonly validationErrors?: ValidationErrors;
  /**
   * JSON-RPC error code for an unknown tool.
   * @default -32601 in the legacy eras, -32602 in the modern era
   */
  readonly unknownToolCode?: number;
  /**
   * Maximum number of items per list page.
   * @default all items on one page
   */
  readonly pageSize?: number;
  /**
   * Time in milliseconds for which clients may cache a list. Only clients in the modern era receive it.
   * @default 60000
   */
  readonly listTtlMs?: number;
  /**
   * Timeout for every handler in milliseconds. A definition's own `deadlineMs` takes precedence.
   * @default no timeout
   */
  readonly deadlineMs?: number;
  /**
   * Sends the messages of unexpected errors to the model. Leave it off in production, because such messages can leak
   * internals. The message of an `McpError` is always sent.
   * @default false
   */
  readonly exposeErrors?: boolean;
  /**
   * Minimum level of `call.log` messages for a legacy client that has not set a level.
   * @default "info"
   */
  readonly logLevel?: LogLevel;
  /** Receives structured log entries. Errors that it throws are ignored. */
  readonly log?: LogSink;
  /** Options for sealing the call state that a client holds while it answers a request for input. */
  readonly state?: StateOptions;
  /** Experimental capabilities that the server declares, by name. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
  /** Clock, timers, randomness, and cryptography. Override them in tests and on unusual runtimes. */
  readonly ports?: Partial<Ports>;
}
