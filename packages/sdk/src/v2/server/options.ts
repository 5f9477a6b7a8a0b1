/**
 * @fileoverview Options for version 2 of `McpServer` and `Server`.
 * @module sdk/v2/server/options
 */
import { SERVER_SETTINGS } from "tenon/host";
import { LEGACY_REVISIONS, MODERN_REVISIONS } from "tenon/protocol";
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { custom, texts } from "@tenon/internal/options/option-rows";
import { type BaseSettings, SHARED_OPTIONS, toBaseSettings } from "../../server/options.js";
import { type RoundSettings, toRoundSettings } from "../input/rounds.js";
import type { ServerCapabilities, ServerContext } from "../types.js";
import { assertCacheHint, type CacheHints } from "./results.js";

const SERVER_OPTIONS = /* @__PURE__ */ defineOptions("McpServer", {
  ...SERVER_SETTINGS.rows,
  ...SHARED_OPTIONS.rows,
  /** Capabilities to declare even if no matching tool, resource, or prompt is registered. */
  capabilities: custom<ServerCapabilities>(),
  /** Protocol versions to support, most preferred first. */
  supportedProtocolVersions: texts(),
  /** Cache hints for clients in the stateless revision, by method. */
  cacheHints: custom<CacheHints>(),
  /** Rounds in which callbacks ask for input, in the legacy revisions. */
  inputRequired: custom<Partial<RoundSettings>>(),
  /** Verifies states that clients hold between rounds. */
  requestState: custom<{
    /** Verifies a state. Throws to reject the request. A result other than `undefined` is passed to the callback. */
    readonly verify?: (state: string, ctx: ServerContext) => unknown;
  }>(),
});

/** Options of `McpServer`: the official SDK's and Tenon's. */
export interface McpServerOptions extends OptionsOf<typeof SERVER_OPTIONS> {}

/** Options of `Server`. */
export type ServerOptions = Omit<McpServerOptions, "maxToolInputElements">;

/** Options with defaults. */
export interface Settings extends BaseSettings {
  readonly legacyVersions: readonly string[];
  readonly modernVersions: readonly string[];
  readonly cacheHints: CacheHints;
  readonly rounds: RoundSettings;
  readonly verify: ((state: string, ctx: ServerContext) => unknown) | undefined;
}

/** Protocol versions, newest first. */
export const SUPPORTED_PROTOCOL_VERSIONS: readonly string[] = /* @__PURE__ */ [...LEGACY_REVISIONS]
  .toSorted()
  .toReversed();

/** Applies the defaults. @throws if an option is unknown or out of range */
export function toSettings(options: McpServerOptions = {}): Settings {
  assertOptions(SERVER_OPTIONS, options);
  const { supportedProtocolVersions: versions = SUPPORTED_PROTOCOL_VERSIONS, cacheHints = {} } = options;
  for (const [method, hint] of Object.entries(cacheHints)) assertCacheHint(hint, `cacheHints['${method}']`);
  // Versions are dates. A client that uses `initialize` never gets one of the stateless revisions.
  const isModern = (version: string) => MODERN_REVISIONS.some((revision) => version >= revision);
  const base = toBaseSettings(options);
  return {
    ...base,
    // Lists are not cached by default, and shared caches must not store them.
    core: { listTtlMs: 0, ...base.core },
    legacyVersions: versions.filter((version) => !isModern(version)),
    modernVersions: MODERN_REVISIONS,
    cacheHints,
    rounds: toRoundSettings(options.inputRequired),
    verify: options.requestState?.verify,
  };
}
