/**
 * @fileoverview Loads a built-in provider on demand, or validates the application's own.
 * @module oauth/load-provider
 */
import { isLoopbackHttp, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { isUrl } from "@tenon/internal/security/is-url";
import { formatValue } from "./config.js";
import type { OAuthProvider, ProviderName } from "./provider.js";

/** Returns the chosen provider, and loads no other. @throws if the application's own provider is invalid */
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

/** Asserts that a provider is complete and that its endpoints are safe for tokens. */
function assertProvider(provider: OAuthProvider): void {
  for (const name of ["name", "issuer"] as const) {
    if (typeof provider[name] !== "string" || provider[name] === "") {
      throw new Error(`\`provider.${name}\` must be a non-empty string; got ${formatValue(provider[name])}.`);
    }
  }
  for (const name of ["authorizationEndpoint", "tokenEndpoint", "userEndpoint"] as const) {
    if (!isSafeEndpoint(provider[name])) {
      throw new Error(
        `\`provider.${name}\` must be an https URL, or an http URL on a loopback address; ` +
          `got ${formatValue(provider[name])}.`,
      );
    }
  }
  const { redirectHost = "127.0.0.1", redirectPath = "/" } = provider;
  if (!LOOPBACK_HOSTS.includes(redirectHost)) {
    throw new Error(
      `\`provider.redirectHost\` must be "127.0.0.1", "localhost", or "[::1]"; got ${formatValue(redirectHost)}.`,
    );
  }
  if (!/^\/[\w./-]*$/.test(redirectPath)) {
    throw new Error(
      "`provider.redirectPath` must start with a slash and contain only letters, digits, and the characters . / _ -; " +
        `got ${formatValue(redirectPath)}.`,
    );
  }
}

/** Returns true if tokens and secrets cannot be intercepted: the URL uses https, or http on a loopback address. */
function isSafeEndpoint(address: unknown): boolean {
  return typeof address === "string" && isUrl(address)
    ? new URL(address).protocol === "https:" || isLoopbackHttp(address)
    : false;
}
