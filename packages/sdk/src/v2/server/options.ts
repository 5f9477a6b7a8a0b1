/**
 * @fileoverview Options of `Server` and `McpServer`.
 * @module sdk/v2/server/options
 */
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { JsonObject } from "@tenon/internal/json";
import type { ServerOptions as CoreOptions } from "tenon";
import { SERVER_SETTING_ALIASES, SERVER_SETTING_NAMES } from "tenon/host";
import { type Implementation, LEGACY_REVISIONS, MODERN_REVISIONS } from "tenon/protocol";
import type { JsonSchemaValidator } from "../json-schema.js";
import type { ServerCapabilities, ServerContext } from "../types.js";
import { assertCacheHint, type CacheHints } from "./cache-hints.js";
import { type RoundSettings, toRoundSettings } from "../input/rounds.js";

/** Options of `Server`: the official SDK's and Tenon's. */
export interface ServerOptions extends Omit<CoreOptions, keyof Implementation> {
  /** Capabilities to declare even if no matching tool, resource, or prompt is registered. */
  readonly capabilities?: ServerCapabilities;
  /** Protocol versions to support, most preferred first. */
  readonly supportedProtocolVersions?: readonly string[];
  /**
   * Checks the client's capabilities before every request to it.
   * @default false
   */
  readonly enforceStrictCapabilities?: boolean;
  /** Notifications without parameters that are sent once per turn, however often they are requested. */
  readonly debouncedNotificationMethods?: readonly string[];
  /** Validates the responses to forms. The default is a validator for the schemas that MCP allows in forms. */
  readonly jsonSchemaValidator?: JsonSchemaValidator;
  /** Cache hints for clients in the stateless revision, by method. */
  readonly cacheHints?: CacheHints;
  /** Rounds in which callbacks ask for input, in the legacy revisions. */
  readonly inputRequired?: Partial<RoundSettings>;
  /** Verifies states that clients hold between rounds. */
  readonly requestState?: {
    /** Verifies a state. Throws to reject the request. A result other than `undefined` is passed to the callback. */
    readonly verify?: (state: string, ctx: ServerContext) => unknown;
  };
}

/** Options of `McpServer`. */
export interface McpServerOptions extends ServerOptions {
  /**
   * Maximum number of object members and array items, at every depth, in one call's arguments.
   * @default none
   */
  readonly maxToolInputElements?: number;
}

const NAMES: OptionNames<McpServerOptions> = {
  ...SERVER_SETTING_NAMES,
  capabilities: true,
  supportedProtocolVersions: true,
  enforceStrictCapabilities: true,
  debouncedNotificationMethods: true,
  jsonSchemaValidator: true,
  cacheHints: true,
  inputRequired: true,
  requestState: true,
  maxToolInputElements: true,
};

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
  assertKnownOptions(options, { label: "McpServer", names: NAMES, aliases: SERVER_SETTING_ALIASES });
  const {
    capabilities = {},
    supportedProtocolVersions: versions = SUPPORTED_PROTOCOL_VERSIONS,
    enforceStrictCapabilities = false,
    debouncedNotificationMethods = [],
    jsonSchemaValidator,
    cacheHints = {},
    inputRequired,
    requestState,
    maxToolInputElements: _,
    ...core
  } = options;
  for (const [method, hint] of Object.entries(cacheHints)) assertCacheHint(hint, `cacheHints['${method}']`);
  // Versions are dates. A client that uses `initialize` never gets one of the stateless revisions.
  const isModern = (version: string) => MODERN_REVISIONS.some((revision) => version >= revision);
  return {
    // Lists are not cached by default, and shared caches must not store them.
    core: { exposeErrors: true, logLevel: "debug", listTtlMs: 0, ...core },
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
