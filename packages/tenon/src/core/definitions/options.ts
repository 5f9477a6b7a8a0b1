/**
 * @fileoverview Server options and their defaults.
 * @module tenon/core/definitions/options
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { defineOptions, type OptionsOf, type ParsedOptions } from "@tenon/internal/options/define-options";
import { callback, custom, flag, integer, object, oneOf, text } from "@tenon/internal/options/option-rows";
import type { Ports } from "@tenon/internal/ports";
import { type Icon, LOG_LEVELS } from "../../protocol/index.js";
import type { JsonSchemaCompiler } from "../../schema/schema.js";
import { STATE_OPTIONS } from "../call/state.js";
import { LISTEN_LIMITS } from "../wire/listen-limits.js";
import { LOAD_LIMITS } from "../wire/load.js";
import type { LogSink } from "../wire/log.js";

/** Options that describe a server to its clients. */
export const SERVER_INFO = /* @__PURE__ */ defineOptions("serverInfo", {
  /** Name of the server, for programs. */
  name: text({ required: true }),
  /** Version of the server. */
  version: text({ required: true, expected: 'a non-empty string, such as "1.0.0"' }),
  /** Name of the server, for people. */
  title: text({ allowEmpty: true }),
  /** Description of the server. */
  description: text({ allowEmpty: true }),
  /** Website of the server. */
  websiteUrl: text({ aliases: ["url", "homepage"] }),
  /** Icons of the server. */
  icons: custom<readonly Icon[]>({ expected: "an array of icons", accepts: Array.isArray }),
});

/** The other options of a server, for hosts that take them too. */
export const SERVER_SETTINGS = /* @__PURE__ */ defineOptions("settings", {
  /** Instructions that tell the model how to use the server. */
  instructions: text({ allowEmpty: true }),
  /** Compiles JSON Schemas to validators. Required only for schemas written as JSON Schema; see `tenon/json-schema`. */
  jsonSchema: callback<JsonSchemaCompiler>(),
  /**
   * Reports invalid arguments as a JSON-RPC error ("protocol") or as a tool result that the model sees ("result").
   * @default "result" for tools defined in code, so that the model can correct the call; "protocol" for declared tools
   */
  validationErrors: oneOf(["protocol", "result"]),
  /**
   * JSON-RPC error code for an unknown tool.
   * @default -32601 in the legacy eras, -32602 in the modern era
   */
  unknownToolCode: integer({ min: Number.MIN_SAFE_INTEGER }),
  /**
   * Maximum number of items per list page.
   * @default all items on one page
   */
  pageSize: integer(),
  /**
   * Time in milliseconds for which clients may cache a list. Only clients in the modern era receive it.
   * @default 60000
   */
  listTtlMs: integer({ min: 0, default: 60_000 }),
  /**
   * Timeout for every handler in milliseconds. A definition's own `deadlineMs` takes precedence.
   * @default no timeout
   */
  deadlineMs: integer({ aliases: ["timeout", "timeoutMs"] }),
  /**
   * Sends the messages of unexpected errors to the model. Leave it off in production, because such messages can leak
   * internals. The message of an `McpError` is always sent.
   * @default false
   */
  exposeErrors: flag({ default: false, aliases: ["debug"] }),
  /**
   * Minimum level of `call.log` messages for a legacy client that has not set a level.
   * @default "info"
   */
  logLevel: oneOf(LOG_LEVELS, { default: "info" }),
  /** Receives structured log entries. Errors that it throws are ignored. */
  log: callback<LogSink>({ aliases: ["logger", "onError"] }),
  /** Options for encrypting the call state that a client holds while it responds to a request for input. */
  state: object(STATE_OPTIONS),
  /** Experimental capabilities that the server declares, by name. */
  experimental: custom<Readonly<Record<string, JsonObject>>>({
    expected: "an object",
    accepts: isJsonObject,
  }),
  /** Clock, timers, randomness, and cryptography. Override them in tests and on unusual runtimes. */
  ports: custom<Partial<Ports>>({ expected: "an object", accepts: isJsonObject }),
  ...LOAD_LIMITS.rows,
  ...LISTEN_LIMITS.rows,
});

/** Options for `defineServer`. */
export const SERVER_OPTIONS = /* @__PURE__ */ defineOptions(
  "defineServer",
  { ...SERVER_INFO.rows, ...SERVER_SETTINGS.rows },
  'an object such as { name: "weather", version: "1.0.0" }',
);

/** Options for `defineServer`: the server's name and version, its limits, and its defaults. */
export interface ServerOptions extends OptionsOf<typeof SERVER_OPTIONS> {}

/** A server's options with their defaults. */
export type ServerSettings = ParsedOptions<typeof SERVER_OPTIONS>;
