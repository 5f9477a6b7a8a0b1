/**
 * @fileoverview Options for version 1 of `McpServer` and `Server`.
 * @module sdk/v1/options
 */
import { SERVER_SETTINGS } from "tenon/host";
import {
  assertOptions,
  defineOptions,
  type OptionsOf,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { custom, flag } from "@tenon/internal/options/option-rows";
import { type BaseSettings, SHARED_OPTIONS, toBaseSettings } from "../server/options.js";
import { TASK_OPTIONS, type TaskStoreOptions } from "../server/task-types.js";

const SERVER_OPTIONS = /* @__PURE__ */ defineOptions("McpServer", {
  ...SERVER_SETTINGS.rows,
  ...SHARED_OPTIONS.rows,
  ...TASK_OPTIONS.rows,
  /** Capabilities to declare even if no matching tool, resource, or prompt is registered. */
  capabilities: custom<object>(),
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

/** Options for `Server`: those of `McpServer`, except for the ones about tools. */
export type ServerOptions = Omit<McpServerOptions, "maxToolInputElements">;

/** Options with defaults. */
export interface Settings extends BaseSettings {
  readonly tasks: TaskStoreOptions;
}

/** Applies the defaults. @throws if an option is unknown or invalid */
export function toSettings(options: McpServerOptions, label: "McpServer" | "Server"): Settings {
  assertOptions(SERVER_OPTIONS, options, label);
  return { ...toBaseSettings(options), tasks: pickOptions(TASK_OPTIONS, options) };
}
