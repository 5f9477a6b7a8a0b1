/**
 * @fileoverview What can be set on a server, with its defaults.
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

/** A server's card and settings. */
export interface ServerOptions extends Implementation, LoadLimits {
  /** What a model should know before it uses the tools. */
  readonly instructions?: string;
  /** Validates schemas given as data; see `tenon/json-schema`. */
  readonly jsonSchema?: JsonSchemaCompiler;
  /**
   * How arguments that fail are told.
   * @default "result" for tools in code, so that the model can correct itself; "protocol" for declared ones
   */
  readonly validationErrors?: ValidationErrors;
  /**
   * The JSON-RPC number for an unknown tool.
   * @default -32601 in the legacy eras, -32602 in the modern one
   */
  readonly unknownToolCode?: number;
  /**
   * Most items on a page of a list.
   * @default all on one page
   */
  readonly pageSize?: number;
  /**
   * How long a client may keep a list, in milliseconds (stateless era).
   * @default 60000
   */
  readonly listTtlMs?: number;
  /**
   * Longest run of any handler in milliseconds, unless its definition says otherwise.
   * @default none
   */
  readonly deadlineMs?: number;
  /**
   * Lets the text of unexpected errors reach the model. Off, so that nothing of the inside leaks; an `McpError` is
   * always told in its own words.
   * @default false
   */
  readonly exposeErrors?: boolean;
  /**
   * What a legacy client hears from `call.log` before it sets a level.
   * @default "info"
   */
  readonly logLevel?: LogLevel;
  /** Takes the core's own log entries. */
  readonly log?: LogSink;
  /** How the state of calls in rounds is sealed. */
  readonly state?: StateOptions;
  /** Experimental capabilities to declare. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
  /** Clock, timers, randomness and crypto, for tests and unusual runtimes. */
  readonly ports?: Partial<Ports>;
}
