/**
 * @fileoverview Options for `McpServer`.
 * @module sdk/mcp-server/options
 */
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { ServerOptions } from "tenon";
import { SERVER_INFO_NAMES, SERVER_SETTING_ALIASES, SERVER_SETTING_NAMES } from "tenon/host";
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
  assertKnownOptions(known, { label: "McpServer", names: NAMES, aliases: SERVER_SETTING_ALIASES });
  return known;
}

/** Returns the server information without other members, which the official SDK ignores too. */
export function toServerInfo(info: Implementation): Implementation {
  const known = Object.entries(info).filter(([name]) => Object.hasOwn(SERVER_INFO_NAMES, name));
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
  ...SERVER_SETTING_NAMES,
  capabilities: true,
  maxToolInputElements: true,
};
