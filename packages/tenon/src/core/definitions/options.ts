/**
 * @fileoverview Server options and their defaults.
 * @module core/options
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import { isJsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { assertKnownOptions } from "@tenon/internal/names/known-options";
import type { Implementation, LogLevel } from "../../protocol/index.js";
import type { JsonSchemaCompiler } from "../../schema/schema.js";
import type { ListenLimits } from "../wire/listen-limits.js";
import type { LoadLimits } from "../wire/load.js";
import type { LogSink } from "../wire/log.js";
import type { StateOptions } from "../call/state.js";
import type { ValidationErrors } from "./tool.js";

/** Options for `defineServer`: the server's name and version, its limits, and its defaults. */
export interface ServerOptions extends Implementation, LoadLimits, ListenLimits {
  /** Instructions that tell the model how to use the server. */
  readonly instructions?: string;
  /** Compiles JSON Schemas to validators. Required only for schemas written as JSON Schema; see `tenon/json-schema`. */
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
  /** Options for encrypting the call state that a client holds while it responds to a request for input. */
  readonly state?: StateOptions;
  /** Experimental capabilities that the server declares, by name. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
  /** Clock, timers, randomness, and cryptography. Override them in tests and on unusual runtimes. */
  readonly ports?: Partial<Ports>;
}

/** Throws a `TypeError` if the options are not an object or if one of them is unknown. */
export function assertServerOptions(options: unknown): void {
  if (!isJsonObject(options)) {
    throw new TypeError(
      `defineServer: expected an object such as { name: "weather", version: "1.0.0" }; got ${kindOf(options)}.`,
    );
  }
  assertKnownOptions(options, SERVER_RULE);
}

/** Names of the properties that describe a server to clients. */
export const SERVER_INFO_NAMES: Readonly<Record<keyof Implementation, true>> = {
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
};

/** Names of the other options, for hosts that take them too. */
export const SERVER_SETTING_NAMES: Readonly<
  Record<Exclude<keyof ServerOptions, keyof Implementation>, true>
> = {
  instructions: true,
  jsonSchema: true,
  validationErrors: true,
  unknownToolCode: true,
  pageSize: true,
  listTtlMs: true,
  deadlineMs: true,
  exposeErrors: true,
  logLevel: true,
  log: true,
  state: true,
  experimental: true,
  ports: true,
  maxCalls: true,
  maxCallBytes: true,
  maxListenStreams: true,
  maxListenStreamsPerCaller: true,
};

/** Names that users try, and the setting that they mean. */
export const SERVER_SETTING_ALIASES: Readonly<Record<string, string>> = {
  logger: "log",
  onError: "log",
  timeout: "deadlineMs",
  timeoutMs: "deadlineMs",
  debug: "exposeErrors",
};

const SERVER_RULE = {
  label: "defineServer",
  names: { ...SERVER_INFO_NAMES, ...SERVER_SETTING_NAMES },
  aliases: { ...SERVER_SETTING_ALIASES, url: "websiteUrl", homepage: "websiteUrl" },
};
