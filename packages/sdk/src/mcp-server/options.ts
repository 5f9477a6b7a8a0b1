/**
 * @fileoverview Options for `McpServer`.
 * @module sdk/mcp-server/options
 */
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { ServerOptions } from "tenon";
import { SERVER_INFO_NAMES, SERVER_SETTING_ALIASES, SERVER_SETTING_NAMES } from "tenon/host";
import type { Implementation } from "tenon/protocol";
import type { MessageOptions } from "./server-face.js";
import type { TaskOptions } from "./requests/task-types.js";

/** Options for `McpServer`: the official SDK's and Tenon's. */
export interface McpServerOptions
  extends Omit<ServerOptions, keyof Implementation>, TaskOptions, MessageOptions {
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
export function toKnownOptions(options: McpServerOptions, label = "McpServer"): McpServerOptions {
  const given = Object.entries(options).filter(([name]) => !SDK_ONLY.includes(name));
  const known = Object.fromEntries(given) as McpServerOptions; // Safe: only options that Tenon does not use are removed
  assertKnownOptions(known, { label, names: NAMES, aliases: SERVER_SETTING_ALIASES });
  return known;
}

/** Separates the options for tasks and for messages to the client from the others. */
export function splitOptions<Options extends TaskOptions & MessageOptions>(options: Options) {
  const { taskStore, taskMessageQueue, defaultTaskPollInterval, maxTaskQueueSize, ...others } = options;
  const { enforceStrictCapabilities, debouncedNotificationMethods, jsonSchemaValidator, ...rest } = others;
  return {
    tasks: { taskStore, taskMessageQueue, defaultTaskPollInterval, maxTaskQueueSize },
    messages: { enforceStrictCapabilities, debouncedNotificationMethods, jsonSchemaValidator },
    rest,
  };
}

/** Checks the option `maxToolInputElements`. @throws {RangeError} if it is not a number of at least 1 */
export function toLimit(given: number | undefined): number | undefined {
  if (given === undefined || given === Infinity) return undefined;
  if (typeof given !== "number" || Number.isNaN(given) || given < 1) {
    throw new RangeError(
      `maxToolInputElements must be a number of at least 1, or Infinity, got ${String(given)}`,
    );
  }
  return given;
}

/** Returns the server information without other members, which the official SDK ignores too. */
export function toServerInfo(info: Implementation): Implementation {
  const known = Object.entries(info).filter(([name]) => Object.hasOwn(SERVER_INFO_NAMES, name));
  return Object.fromEntries(known) as unknown as Implementation; // Safe: only undeclared properties are removed
}

/** Official SDK options that Tenon accepts but does not use. */
const SDK_ONLY: readonly string[] = ["supportedProtocolVersions"];

const TASK_NAMES: OptionNames<TaskOptions> = {
  taskStore: true,
  taskMessageQueue: true,
  defaultTaskPollInterval: true,
  maxTaskQueueSize: true,
};

const MESSAGE_NAMES: OptionNames<MessageOptions> = {
  enforceStrictCapabilities: true,
  debouncedNotificationMethods: true,
  jsonSchemaValidator: true,
};

const NAMES: OptionNames<McpServerOptions> = {
  ...SERVER_SETTING_NAMES,
  capabilities: true,
  maxToolInputElements: true,
  ...TASK_NAMES,
  ...MESSAGE_NAMES,
};
