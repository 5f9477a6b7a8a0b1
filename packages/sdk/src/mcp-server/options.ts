/**
 * @fileoverview Options for `McpServer`.
 * @module sdk/mcp-server/options
 */
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { ServerOptions } from "tenon";
import type { Implementation } from "tenon/protocol";

/** Options for `McpServer`: the official SDK's and Tenon's. */
export interface McpServerOptions extends Omit<ServerOptions, keyof Implementation> {
  /** Capabilities to declare even if no matching tool, resource, or prompt is registered. */
  readonly capabilities?: object;
  /**
   * Maximum number of object members and array items, at every depth, in one call's arguments.
   * @default none
   */
  readonly maxToolInputElements?: number;
  /**
   * Sends clients the messages of errors that callbacks throw, as the official SDK does.
   * @default true
   */
  readonly exposeErrors?: boolean;
}

/** Returns the options that Tenon uses. @throws if neither Tenon nor the official SDK has the option */
export function toKnownOptions(options: McpServerOptions): McpServerOptions {
  const given = Object.entries(options).filter(([name]) => !SDK_ONLY.includes(name));
  const known = Object.fromEntries(given) as McpServerOptions; // Safe: only options that Tenon does not use are removed
  assertKnownOptions(known, { label: "McpServer", names: NAMES, aliases: ALIASES });
  return known;
}

/** Returns the server information without other members, which the official SDK ignores too. */
export function toServerInfo(info: Implementation): Implementation {
  const known = Object.entries(info).filter(([name]) => Object.hasOwn(INFO_NAMES, name));
  return Object.fromEntries(known) as unknown as Implementation; // Safe: only undeclared properties are removed
}

/** Official SDK options, versions 1 and 2, that Tenon accepts but does not use. */
const SDK_ONLY: readonly string[] = [
  "enforceStrictCapabilities",
  "debouncedNotificationMethods",
  "jsonSchemaValidator",
  "supportedProtocolVersions",
  "taskStore",
  "taskMessageQueue",
  "defaultTaskPollInterval",
  "maxTaskQueueSize",
];

const NAMES: OptionNames<McpServerOptions> = {
  capabilities: true,
  maxToolInputElements: true,
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

const ALIASES: Readonly<Record<string, string>> = {
  logger: "log",
  onError: "log",
  timeout: "deadlineMs",
  timeoutMs: "deadlineMs",
  debug: "exposeErrors",
};

const INFO_NAMES: OptionNames<Implementation> = {
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
};
