/**
 * @fileoverview Gets the description of a provider: one of ours, loaded only now, or the application's own, checked.
 * @module oauth/load-provider
 */
import { isLoopbackHttp, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import type { OAuthProvider, ProviderName } from "./provider.js";

/** Gets a provider's description, loading no other. @throws where it cannot be used */
export async function loadProvider(
  provider: ProviderName | OAuthProvider,
  tenant: string | undefined,
): Promise<OAuthProvider> {
  if (typeof provider === "object") return checkProvider(provider);
  if (provider === "google") return (await import("./google.js")).google;
  return (await import("./microsoft.js")).microsoft(tenant);
}

/** @throws where a part is missing or could leak what is sent to it */
function checkProvider(provider: OAuthProvider): OAuthProvider {
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
  return provider;
}

/** Tokens and secrets go there, so nobody may listen on the way: https, or http that never leaves this machine. */
function isSafeEndpoint(address: unknown): boolean {
  return typeof address === "string" && URL.canParse(address)
    ? new URL(address).protocol === "https:" || isLoopbackHttp(address)
    : false;
}
