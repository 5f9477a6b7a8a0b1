/**
 * @fileoverview Options that `McpServer` and `Server` of both versions have.
 * @module sdk/server/options
 */
import type { ServerOptions as CoreOptions } from "tenon";
import { SERVER_INFO, SERVER_SETTINGS } from "tenon/host";
import type { Implementation } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import { defineOptions, type OptionsOf, pickOptions } from "@tenon/internal/options/define-options";
import { custom, flag, texts } from "@tenon/internal/options/option-rows";
import type { FormValidator } from "./client/answers.js";

/** Options of both versions. */
export const SHARED_OPTIONS = /* @__PURE__ */ defineOptions("messages", {
  /**
   * Rejects requests for which the client does not declare the matching capability.
   * @default false
   */
  enforceStrictCapabilities: flag(),
  /**
   * Methods of notifications that are sent once per tick, unless they have parameters.
   * @default none
   */
  debouncedNotificationMethods: texts(),
  /**
   * Validates the content of forms against the requested schema.
   * @default a built-in validator for the schemas that MCP allows in forms
   */
  jsonSchemaValidator: custom<FormValidator>(),
  /**
   * Maximum number of object members and array items, at every depth, in one call's arguments. Only for `McpServer`.
   * @default none
   */
  maxToolInputElements: custom<number>(),
});

/** Options of a server with defaults, by the part that uses them. */
export interface BaseSettings {
  /** Options of the core. */
  readonly core: Omit<CoreOptions, keyof Implementation>;
  /** Capabilities to declare even if no matching tool, resource, or prompt is registered. */
  readonly capabilities: JsonObject;
  /** True if requests require that the client declares the matching capability. */
  readonly isStrict: boolean;
  readonly debounced: readonly string[];
  readonly validator: FormValidator | undefined;
}

/** Applies the defaults. Clients see the messages of errors that callbacks throw, as with the official SDK. */
export function toBaseSettings(
  options: OptionsOf<typeof SHARED_OPTIONS> &
    OptionsOf<typeof SERVER_SETTINGS> & { readonly capabilities?: object | undefined },
): BaseSettings {
  return {
    core: { exposeErrors: true, logLevel: "debug", ...pickOptions(SERVER_SETTINGS, options) },
    capabilities: { ...options.capabilities },
    isStrict: options.enforceStrictCapabilities ?? false,
    debounced: options.debouncedNotificationMethods ?? [],
    validator: options.jsonSchemaValidator,
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
