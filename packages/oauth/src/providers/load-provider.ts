/**
 * @fileoverview Loads the description of a provider: a built-in one on demand, or the application's own after a check.
 * @module oauth/load-provider
 */
import { isLoopbackHttp, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import type { OAuthProvider, ProviderName } from "./provider.js";

/** Loads the description of the chosen provider only. @throws if it is invalid */
export async function loadProvider(
  provider: ProviderName | OAuthProvider,
  tenant: string | undefined,
): Promise<OAuthProvider> {
  if (typeof provider === "object") {
    assertProvider(provider);
    return provider;
  }
  if (provider === "google") return (await import("./google.js")).google;
  return (await import("./microsoft.js")).microsoft(tenant);
}

/** Asserts that a provider is complete and that its endpoints protect the tokens. */
function assertProvider(provider: OAuthProvider): void {
  for (const name of ["name", "issuer"] as const) {
    if (typeof provider[name] !== "string" || provider[name] === "") {
      throw new Error(`\`provider.${name}\` is required and must be a non-empty string.`);
    }
  }
  for (const name of ["authorizationEndpoint", "tokenEndpoint", "userEndpoint"] as const) {
    if (!isSafeEndpoint(provider[name])) {
      throw new Error(`\`provider.${name}\` must be an https URL, or an http URL on a loopback address.`);
    }
  }
  const { redirectHost = "127.0.0.1", redirectPath = "/" } = provider;
  if (!LOOPBACK_HOSTS.includes(redirectHost)) {
    throw new Error('`provider.redirectHost` must be "127.0.0.1", "localhost" or "[::1]".');
  }
  if (!/^\/[\w./-]*$/.test(redirectPath)) {
    throw new Error("`provider.redirectPath` must be a path that starts with a slash, without a query.");
  }
}

/** Checks that tokens and secrets cannot be intercepted on the way: https, or http on a loopback address. */
function isSafeEndpoint(address: unknown): boolean {
  return typeof address === "string" && URL.canParse(address)
    ? new URL(address).protocol === "https:" || isLoopbackHttp(address)
    : false;
}
