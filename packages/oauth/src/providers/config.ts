/**
 * @fileoverview Configuration for loopback OAuth, and its validation.
 * @module oauth/providers/config
 */
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, flag, text } from "@tenon/internal/options/option-rows";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import type { Ports } from "@tenon/internal/ports";
import { PRIVATE_NETWORKS } from "@tenon/internal/security/destination";
import type { Logger } from "tenon";
import type { OAuthProvider, ProviderName } from "./provider.js";
import { serviceKey, type TokenStore } from "../tokens/token-store.js";

const FILLED = { pattern: /\S/, required: true } as const;

const ADAPTER_OPTIONS = /* @__PURE__ */ defineOptions("createOAuthAdapters", {
  /** Built-in provider, or the description of another provider. */
  provider: custom<ProviderName | OAuthProvider>({
    required: true,
    expected: '"google", "microsoft", or a provider object',
    accepts: (value) =>
      value === "google" || value === "microsoft" || (typeof value === "object" && value !== null),
  }),
  /** Name of the API that the tokens are for, such as `gmail`. It is part of every store key. */
  service: text(FILLED),
  /** ID that the provider gave to the application. */
  clientId: text(FILLED),
  /** Client secret. Omit it for a public client. */
  clientSecret: text({ isSecret: true, fix: () => "Omit it for a public client." }),
  /** Scopes, separated by spaces. */
  scope: text(FILLED),
  /** True to throw `AuthRequiredError` with the URL instead of opening a browser. */
  headless: flag({ required: true }),
  /** Stores accounts and tokens. */
  tokenStore: custom<TokenStore>({
    required: true,
    expected: "an object with the methods `get`, `set`, and `delete`, like a Keyv instance",
    accepts: (value) => hasMethods(value, ["get", "set", "delete"]),
  }),
  /** Receives log messages for the operator. They never contain tokens, codes, or URLs. */
  logger: custom<Logger>({
    required: true,
    expected: "an object with the methods `debug`, `info`, `warn`, and `error`, like `console`",
    accepts: (value) => hasMethods(value, ["debug", "info", "warn", "error"]),
  }),
  /** Microsoft tenant: an ID, a domain, `organizations`, `consumers`, or `common`. */
  tenant: text({ pattern: /^[a-z0-9][a-z0-9.-]*$/i, expected: "a tenant ID or a domain" }),
  /**
   * Allows a provider outside the public internet. `true` allows private addresses such as 10.0.0.5. A list of host
   * names also allows these hosts to be on this machine. Endpoints whose host is itself a loopback or private address
   * do not need this option.
   * @default false
   */
  allowPrivateNetworks: PRIVATE_NETWORKS,
});

/** Configuration for one service. Only `tenant` and `allowPrivateNetworks` have a default. */
export type OAuthFactoryConfig = OptionsOf<typeof ADAPTER_OPTIONS>;

const ENVIRONMENT_OPTIONS = /* @__PURE__ */ defineOptions("createOAuthAdapters", {
  /** Clock, timers, and randomness. */
  ports: custom<Partial<Ports>>(),
  /**
   * Sends requests to the provider. On Node.js, the default resolves each host once, checks its addresses, and connects
   * only to them. With your own function, only addresses in URLs are checked.
   * @default the runtime's own requests
   */
  fetch: callback<Fetch>(),
  /** Opens a URL for the user. Rejects on failure. @default the system's browser */
  openBrowser: callback<(url: URL) => Promise<void>>(),
});

/** Replacements for tests, and for programs with their own browser. */
export type OAuthEnvironment = OptionsOf<typeof ENVIRONMENT_OPTIONS>;

/** Asserts that a configuration is valid. @throws with a message about the first problem */
export function assertConfig(config: OAuthFactoryConfig, environment: OAuthEnvironment): void {
  assertOptions(ADAPTER_OPTIONS, config);
  assertOptions(ENVIRONMENT_OPTIONS, environment);
  if (config.tenant !== undefined && config.provider !== "microsoft")
    throw new TypeError(
      'createOAuthAdapters: `tenant` is supported only if `provider` is "microsoft". Remove it.',
    );
  serviceKey(config.service, "linked");
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
