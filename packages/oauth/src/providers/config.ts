/**
 * @fileoverview Configuration of loopback OAuth, and the assertion that reports the first problem in it.
 * @module oauth/config
 */
import type { Ports } from "@tenon/internal/ports";
import type { Logger } from "tenon";
import type { OAuthProvider, ProviderName } from "./provider.js";
import { serviceKey, type TokenStore } from "../tokens/token-store.js";

/** Configuration of one service. No option has a default. */
export interface OAuthFactoryConfig {
  readonly provider: ProviderName | OAuthProvider;
  /** Name of the API that the tokens are for, such as `gmail`; part of their keys in the store. */
  readonly service: string;
  readonly clientId: string;
  /** Client secret of a confidential client. Public clients have none. */
  readonly clientSecret?: string;
  /** Scopes, separated by spaces. */
  readonly scope: string;
  /** True if no user is at this machine: no browser is opened, and `AuthRequiredError` carries the URL. */
  readonly headless: boolean;
  readonly tokenStore: TokenStore;
  /** Receives log lines for the operator. No line contains a token, a code or a URL. */
  readonly logger: Logger;
  /** Microsoft tenant: its id, its domain, `organizations`, `consumers` or `common`. */
  readonly tenant?: string;
}

/** Environment of the adapter, for tests and for programs with their own browser. */
export interface OAuthEnvironment {
  /** Clock, timers and randomness. */
  readonly ports?: Partial<Ports>;
  /** Opens a URL for the user; rejects on failure. @default the system's browser */
  readonly openBrowser?: (url: URL) => Promise<void>;
}

/** Asserts that a configuration is complete. The message names the first problem. @throws if it is not */
export function assertConfig(config: OAuthFactoryConfig): void {
  // JavaScript callers can omit anything.
  const given = config as Partial<Record<keyof OAuthFactoryConfig, unknown>>;
  if (given.provider === undefined || given.provider === null || given.provider === "") {
    throw new Error('`provider` is required. Use "google", "microsoft" or a provider object.');
  }
  if (typeof given.provider !== "object" && given.provider !== "google" && given.provider !== "microsoft") {
    throw new Error('`provider` must be "google", "microsoft" or a provider object.');
  }
  for (const name of ["service", "clientId", "scope"] as const) {
    if (typeof given[name] !== "string" || given[name].trim() === "") {
      throw new Error(`\`${name}\` is required and must be a non-empty string.`);
    }
  }
  if (typeof given.headless !== "boolean")
    throw new Error("`headless` is required and must be true or false.");
  if (!hasMethods(given.tokenStore, ["get", "set", "delete"])) {
    throw new Error("`tokenStore` must be an object with the methods get, set and delete, such as a Keyv.");
  }
  if (!hasMethods(given.logger, ["debug", "info", "warn", "error"])) {
    throw new Error("`logger` must be an object with the methods debug, info, warn and error.");
  }
  if (
    given.clientSecret !== undefined &&
    (typeof given.clientSecret !== "string" || given.clientSecret === "")
  ) {
    throw new Error("`clientSecret` must be a non-empty string. Omit it for a public client.");
  }
  assertTenant(given.tenant, given.provider);
  serviceKey(config.service, "linked");
}

/** Asserts that a tenant is safe as a part of a URL. */
function assertTenant(tenant: unknown, provider: unknown): void {
  if (tenant === undefined) return;
  if (provider !== "microsoft") throw new Error('`tenant` is supported only with provider "microsoft".');
  if (typeof tenant !== "string" || !/^[a-z0-9][a-z0-9.-]*$/i.test(tenant)) {
    throw new Error("`tenant` must be a tenant id or a domain.");
  }
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
