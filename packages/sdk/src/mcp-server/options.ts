/**
 * @fileoverview Options for `McpServer`.
 * @module sdk/mcp-server/options
 */
import {
  assertOptions,
  defineOptions,
  type OptionsOf,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { custom, flag } from "@tenon/internal/options/option-rows";
import { SERVER_INFO, SERVER_SETTINGS } from "tenon/host";
import type { Implementation, JsonObject } from "tenon/protocol";
import { MESSAGE_OPTIONS } from "./client/message-options.js";
import { TASK_OPTIONS } from "./requests/task-types.js";

const SERVER_OPTIONS = /* @__PURE__ */ defineOptions("McpServer", {
  ...SERVER_SETTINGS.rows,
  ...TASK_OPTIONS.rows,
  ...MESSAGE_OPTIONS.rows,
  /** Capabilities to declare even if no matching tool, resource, or prompt is registered. */
  capabilities: custom<object>(),
  /**
   * Maximum number of object members and array items, at every depth, in one call's arguments.
   * @default none
   */
  maxToolInputElements: custom<number>(),
  /**
   * Sends clients the messages of errors that callbacks throw, as the official SDK does.
   * @default true
   */
  exposeErrors: flag(),
  /** Option of the official SDK that Tenon does not use. */
  supportedProtocolVersions: custom<readonly string[]>(),
});

/** Options for `McpServer`: the official SDK's and Tenon's. */
export interface McpServerOptions extends OptionsOf<typeof SERVER_OPTIONS> {}

/** Checks the options, and splits them by the part that uses them. @throws if an option is unknown or invalid */
export function splitOptions(options: McpServerOptions, label?: string) {
  assertOptions(SERVER_OPTIONS, options, label);
  return {
    tasks: pickOptions(TASK_OPTIONS, options),
    messages: pickOptions(MESSAGE_OPTIONS, options),
    settings: { exposeErrors: true, logLevel: "debug", ...pickOptions(SERVER_SETTINGS, options) } as const,
    // Safe: capabilities are plain data
    capabilities: (options.capabilities ?? {}) as JsonObject,
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
  return pickOptions(SERVER_INFO, info) as Implementation; // Safe: only undeclared properties are removed
}
