/**
 * @fileoverview What loopback OAuth is told, and the check that says at once what is missing.
 * @module oauth/config
 */
import type { Ports } from "@tenon/internal/ports";
import type { OAuthProvider, ProviderName } from "./provider.js";
import { serviceKey, type TokenStore } from "../tokens/token-store.js";

/** Takes lines for the operator, such as `console`. No line has a token, a code or an address in it. */
export interface OAuthLogger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** All of it is said by the application; nothing has a default. */
export interface OAuthFactoryConfig {
  readonly provider: ProviderName | OAuthProvider;
  /** What the tokens are for, such as `gmail`; part of their keys in the store. */
  readonly service: string;
  readonly clientId: string;
  /** For confidential clients; public ones have none. */
  readonly clientSecret?: string;
  /** Scopes, separated by spaces. */
  readonly scope: string;
  /** Whether nobody sits at this machine: then no browser is opened, and `AuthRequiredError` has the address. */
  readonly headless: boolean;
  readonly tokenStore: TokenStore;
  readonly logger: OAuthLogger;
  /** A Microsoft tenant: its id, its domain, `organizations`, `consumers` or `common`. */
  readonly tenant?: string;
}

/** The world around the adapter, for tests and for programs with a browser of their own. */
export interface OAuthEnvironment {
  /** Clock, timers and randomness. */
  readonly ports?: Partial<Ports>;
  /** Shows an address to the user; a rejection means that it could not. @default the system's own browser */
  readonly openBrowser?: (url: URL) => Promise<void>;
}

/** @throws naming the first part of the configuration that is missing or wrong */
export function checkConfig(config: OAuthFactoryConfig): void {
  // From plain JavaScript, or past a cast, anything may be missing.
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
  checkTenant(given.tenant, given.provider);
  serviceKey(config.service, "linked");
}

/** A tenant becomes part of an address. */
function checkTenant(tenant: unknown, provider: unknown): void {
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
