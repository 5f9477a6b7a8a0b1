/**
 * @fileoverview Loads the description of a provider: a built-in one on demand, or the application's own after a check.
 * @module oauth/load-provider
 */
import { isLoopbackHttp, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import type { OAuthProvider, ProviderName } from "./provider.js";

/** Loads the description of one provider, and no other. @throws if it cannot be used */
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

/** Asserts that a provider is complete and cannot leak what is sent to it. */
function assertProvider(provider: OAuthProvider): void {
  for (const name of ["name", "issuer"] as const) {
    if (typeof provider[name] !== "string" || provider[name] === "") {
      throw new Error(`The provider's ${name} is required for OAuth`);
    }
  }
  for (const name of ["authorizationEndpoint", "tokenEndpoint", "userEndpoint"] as const) {
    if (!isSafeEndpoint(provider[name])) {
      throw new Error(
        `The provider's ${name} is required for OAuth: an https address (http only on this machine)`,
      );
    }
  }
  const { redirectHost = "127.0.0.1", redirectPath = "/" } = provider;
  if (!LOOPBACK_HOSTS.includes(redirectHost)) {
    throw new Error("The provider's redirectHost must be a loopback address");
  }
  if (!/^\/[\w./-]*$/.test(redirectPath)) {
    throw new Error("The provider's redirectPath must be a plain path that starts with a slash");
  }
}

/** Tokens and secrets are sent there, so nobody may listen on the way: https, or http that never leaves this machine. */
function isSafeEndpoint(address: unknown): boolean {
  return typeof address === "string" && URL.canParse(address)
    ? new URL(address).protocol === "https:" || isLoopbackHttp(address)
    : false;
}
