/**
 * @fileoverview Loads a built-in provider on demand, or validates the application's own.
 * @module oauth/providers/load-provider
 */
import { listOptionProblems } from "@tenon/internal/options/define-options";
import { type OAuthProvider, PROVIDER, type ProviderName } from "./provider.js";

/** Returns the chosen provider, and loads no other. @throws if the application's own provider is invalid */
export async function loadProvider(
  provider: ProviderName | OAuthProvider,
  tenant: string | undefined,
): Promise<OAuthProvider> {
  if (typeof provider === "object") {
    for (const problem of listOptionProblems(PROVIDER, provider, "provider"))
      throw new TypeError(`createOAuthAdapters: ${problem}`);
    return provider;
  }
  if (provider === "google") return (await import("./google.js")).google;
  return (await import("./microsoft.js")).microsoft(tenant);
}
