/**
 * @fileoverview Configuration for loopback OAuth, and its validation.
 * @module oauth/config
 */
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import type { Ports } from "@tenon/internal/ports";
import { privateNetworksProblem } from "@tenon/internal/security/destination";
import { printable } from "@tenon/internal/text";
import type { Logger } from "tenon";
import type { OAuthProvider, ProviderName } from "./provider.js";
import { serviceKey, type TokenStore } from "../tokens/token-store.js";

/** Configuration for one service. Only `tenant` and `allowPrivateNetworks` have a default. */
export interface OAuthFactoryConfig {
  /** Built-in provider, or the description of another provider. */
  readonly provider: ProviderName | OAuthProvider;
  /** Name of the API that the tokens are for, such as `gmail`. It is part of every store key. */
  readonly service: string;
  readonly clientId: string;
  /** Client secret. Omit it for a public client. */
  readonly clientSecret?: string;
  /** Scopes, separated by spaces. */
  readonly scope: string;
  /** True to throw `AuthRequiredError` with the URL instead of opening a browser. */
  readonly headless: boolean;
  /** Stores accounts and tokens. */
  readonly tokenStore: TokenStore;
  /** Receives log messages for the operator. They never contain tokens, codes, or URLs. */
  readonly logger: Logger;
  /** Microsoft tenant: an ID, a domain, `organizations`, `consumers`, or `common`. */
  readonly tenant?: string;
  /**
   * Allows a provider outside the public internet. `true` allows private addresses such as 10.0.0.5. A list of host
   * names also allows these hosts to be on this machine. Endpoints whose host is itself a loopback or private address
   * do not need this option.
   * @default false
   */
  readonly allowPrivateNetworks?: boolean | readonly string[];
}

/** Replacements for tests, and for programs with their own browser. */
export interface OAuthEnvironment {
  /** Clock, timers, and randomness. */
  readonly ports?: Partial<Ports>;
  /**
   * Sends requests to the provider. On Node.js, the default resolves each host once, checks its addresses, and connects
   * only to them. With your own function, only addresses in URLs are checked.
   * @default the runtime's own requests
   */
  readonly fetch?: Fetch;
  /** Opens a URL for the user. Rejects on failure. @default the system's browser */
  readonly openBrowser?: (url: URL) => Promise<void>;
}

/** Asserts that a configuration is valid. @throws with a message about the first problem */
export function assertConfig(config: OAuthFactoryConfig): void {
  // JavaScript callers can omit anything.
  const given = config as Partial<Record<keyof OAuthFactoryConfig, unknown>>;
  const isObject = typeof given.provider === "object" && given.provider !== null;
  if (!isObject && given.provider !== "google" && given.provider !== "microsoft") {
    const got = formatValue(given.provider);
    throw new Error(`\`provider\` must be "google", "microsoft", or a provider object; got ${got}.`);
  }
  for (const name of ["service", "clientId", "scope"] as const) {
    if (typeof given[name] !== "string" || given[name].trim() === "") {
      throw new Error(`\`${name}\` must be a non-empty string; got ${formatValue(given[name])}.`);
    }
  }
  if (typeof given.headless !== "boolean")
    throw new Error(`\`headless\` must be true or false; got ${formatValue(given.headless)}.`);
  if (!hasMethods(given.tokenStore, ["get", "set", "delete"])) {
    throw new Error("`tokenStore` must have the methods `get`, `set`, and `delete`, like a Keyv instance.");
  }
  if (!hasMethods(given.logger, ["debug", "info", "warn", "error"])) {
    throw new Error("`logger` must have the methods `debug`, `info`, `warn`, and `error`, like `console`.");
  }
  if (
    given.clientSecret !== undefined &&
    (typeof given.clientSecret !== "string" || given.clientSecret === "")
  ) {
    throw new Error("`clientSecret` must be a non-empty string. Omit it for a public client.");
  }
  const networks = privateNetworksProblem(given.allowPrivateNetworks);
  if (networks !== undefined) throw new Error(networks);
  assertTenant(given.tenant, given.provider);
  serviceKey(config.service, "linked");
}

/** Asserts that a tenant is safe in a URL. */
function assertTenant(tenant: unknown, provider: unknown): void {
  if (tenant === undefined) return;
  if (provider !== "microsoft")
    throw new Error('`tenant` is supported only if `provider` is "microsoft". Remove it.');
  if (typeof tenant !== "string" || !/^[a-z0-9][a-z0-9.-]*$/i.test(tenant)) {
    throw new Error(`\`tenant\` must be a tenant ID or a domain; got ${formatValue(tenant)}.`);
  }
}

/** Formats a value for an error message. Never pass a secret. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return `"${printable(value)}"`;
  return typeof value === "object" && value !== null ? "an object" : printable(String(value));
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
