/**
 * @fileoverview Options of `Server` and `McpServer`.
 * @module sdk/v2/server/options
 */
import {
  assertOptions,
  defineOptions,
  type OptionsOf,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { custom, flag, texts } from "@tenon/internal/options/option-rows";
import type { JsonObject } from "@tenon/internal/json";
import type { ServerOptions as CoreOptions } from "tenon";
import { SERVER_SETTINGS } from "tenon/host";
import { type Implementation, LEGACY_REVISIONS, MODERN_REVISIONS } from "tenon/protocol";
import type { JsonSchemaValidator } from "../json-schema.js";
import type { ServerCapabilities, ServerContext } from "../types.js";
import { assertCacheHint, type CacheHints } from "./cache-hints.js";
import { type RoundSettings, toRoundSettings } from "../input/rounds.js";

const SERVER_OPTIONS = /* @__PURE__ */ defineOptions("McpServer", {
  ...SERVER_SETTINGS.rows,
  /** Capabilities to declare even if no matching tool, resource, or prompt is registered. */
  capabilities: custom<ServerCapabilities>(),
  /** Protocol versions to support, most preferred first. */
  supportedProtocolVersions: texts(),
  /**
   * Checks the client's capabilities before every request to it.
   * @default false
   */
  enforceStrictCapabilities: flag(),
  /** Notifications without parameters that are sent once per turn, however often they are requested. */
  debouncedNotificationMethods: texts(),
  /** Validates the responses to forms. The default is a validator for the schemas that MCP allows in forms. */
  jsonSchemaValidator: custom<JsonSchemaValidator>(),
  /** Cache hints for clients in the stateless revision, by method. */
  cacheHints: custom<CacheHints>(),
  /** Rounds in which callbacks ask for input, in the legacy revisions. */
  inputRequired: custom<Partial<RoundSettings>>(),
  /** Verifies states that clients hold between rounds. */
  requestState: custom<{
    /** Verifies a state. Throws to reject the request. A result other than `undefined` is passed to the callback. */
    readonly verify?: (state: string, ctx: ServerContext) => unknown;
  }>(),
  /**
   * Maximum number of object members and array items, at every depth, in one call's arguments. Only for `McpServer`.
   * @default none
   */
  maxToolInputElements: custom<number>(),
});

/** Options of `McpServer`: the official SDK's and Tenon's. */
export interface McpServerOptions extends OptionsOf<typeof SERVER_OPTIONS> {}

/** Options of `Server`. */
export type ServerOptions = Omit<McpServerOptions, "maxToolInputElements">;

/** Options with defaults, split by the part that uses them. */
export interface ResolvedOptions {
  /** Options of the core. */
  readonly core: Omit<CoreOptions, keyof Implementation>;
  readonly capabilities: JsonObject;
  readonly legacyVersions: readonly string[];
  readonly modernVersions: readonly string[];
  readonly isStrict: boolean;
  readonly debounced: readonly string[];
  readonly validator: JsonSchemaValidator | undefined;
  readonly cacheHints: CacheHints;
  readonly rounds: RoundSettings;
  readonly verify: ((state: string, ctx: ServerContext) => unknown) | undefined;
}

/** Protocol versions, newest first. */
export const SUPPORTED_PROTOCOL_VERSIONS: readonly string[] = /* @__PURE__ */ [...LEGACY_REVISIONS]
  .toSorted()
  .toReversed();

/** Applies the defaults. @throws if an option is unknown or out of range */
export function resolveOptions(options: McpServerOptions = {}): ResolvedOptions {
  assertOptions(SERVER_OPTIONS, options);
  const {
    capabilities = {},
    supportedProtocolVersions: versions = SUPPORTED_PROTOCOL_VERSIONS,
    enforceStrictCapabilities = false,
    debouncedNotificationMethods = [],
    jsonSchemaValidator,
    cacheHints = {},
    inputRequired,
    requestState,
  } = options;
  for (const [method, hint] of Object.entries(cacheHints)) assertCacheHint(hint, `cacheHints['${method}']`);
  // Versions are dates. A client that uses `initialize` never gets one of the stateless revisions.
  const isModern = (version: string) => MODERN_REVISIONS.some((revision) => version >= revision);
  return {
    // Lists are not cached by default, and shared caches must not store them.
    core: { exposeErrors: true, logLevel: "debug", listTtlMs: 0, ...pickOptions(SERVER_SETTINGS, options) },
    capabilities: { ...capabilities },
    legacyVersions: versions.filter((version) => !isModern(version)),
    modernVersions: MODERN_REVISIONS,
    isStrict: enforceStrictCapabilities,
    debounced: debouncedNotificationMethods,
    validator: jsonSchemaValidator,
    cacheHints,
    rounds: toRoundSettings(inputRequired),
    verify: requestState?.verify,
  };
}
