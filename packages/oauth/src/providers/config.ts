/**
 * @fileoverview Configuration of loopback OAuth, and the assertion that names the first problem in it.
 * @module oauth/config
 */
import type { Ports } from "@tenon/internal/ports";
import type { Logger } from "tenon";
import type { OAuthProvider, ProviderName } from "./provider.js";
import { serviceKey, type TokenStore } from "../tokens/token-store.js";

/** Configuration of one service. The application sets all of it; nothing has a default. */
export interface OAuthFactoryConfig {
  readonly provider: ProviderName | OAuthProvider;
  /** Name of the API that the tokens are for, such as `gmail`; part of their keys in the store. */
  readonly service: string;
  readonly clientId: string;
  /** For confidential clients; public ones have none. */
  readonly clientSecret?: string;
  /** Scopes, separated by spaces. */
  readonly scope: string;
  /** True if nobody sits at this machine: no browser is opened, and `AuthRequiredError` carries the address. */
  readonly headless: boolean;
  readonly tokenStore: TokenStore;
  /** Takes lines for the operator. No line contains a token, a code or an address. */
  readonly logger: Logger;
  /** A Microsoft tenant: its id, its domain, `organizations`, `consumers` or `common`. */
  readonly tenant?: string;
}

/** Environment of the adapter, for tests and for programs that bring their own browser. */
export interface OAuthEnvironment {
  /** Clock, timers and randomness. */
  readonly ports?: Partial<Ports>;
  /** Opens an address for the user; rejects if it cannot. @default the system's own browser */
  readonly openBrowser?: (url: URL) => Promise<void>;
}

/** Asserts that a configuration is complete. @throws naming the first part that is missing or wrong */
export function assertConfig(config: OAuthFactoryConfig): void {
  // In plain JavaScript, or after a cast, anything may be missing.
  const given = config as Partial<Record<keyof OAuthFactoryConfig, unknown>>;
  if (given.provider === undefined || given.provider === null || given.provider === "") {
    throw new Error("provider is required for OAuth");
  }
  if (typeof given.provider !== "object" && given.provider !== "google" && given.provider !== "microsoft") {
    throw new Error('provider must be "google", "microsoft" or a provider object');
  }
  for (const name of ["service", "clientId", "scope"] as const) {
    if (typeof given[name] !== "string" || given[name].trim() === "") {
      throw new Error(`${name} is required for OAuth`);
    }
  }
  if (typeof given.headless !== "boolean") throw new Error("headless is required for OAuth: true or false");
  if (!hasMethods(given.tokenStore, ["get", "set", "delete"])) {
    throw new Error("tokenStore is required for OAuth: an object with get, set and delete, such as a Keyv");
  }
  if (!hasMethods(given.logger, ["debug", "info", "warn", "error"])) {
    throw new Error("logger is required for OAuth: an object with debug, info, warn and error");
  }
  if (
    given.clientSecret !== undefined &&
    (typeof given.clientSecret !== "string" || given.clientSecret === "")
  ) {
    throw new Error("clientSecret must be text; leave it out for a public client");
  }
  assertTenant(given.tenant, given.provider);
  serviceKey(config.service, "linked");
}

/** Asserts that a tenant can become part of an address. */
function assertTenant(tenant: unknown, provider: unknown): void {
  if (tenant === undefined) return;
  if (provider !== "microsoft") throw new Error('tenant is only for provider "microsoft"');
  if (typeof tenant !== "string" || !/^[a-z0-9][a-z0-9.-]*$/i.test(tenant)) {
    throw new Error("tenant must be an id or a domain");
  }
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
