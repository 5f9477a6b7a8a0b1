/**
 * @fileoverview Sends requests to a provider. Checks their destination, and limits their time and response size.
 * @module oauth/providers/provider-fetch
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import { createGuardedFetch, type GuardOptions } from "@tenon/internal/outgoing/guarded-fetch";

/** Options shared by a provider's endpoints. */
export type ProviderFetchOptions = Pick<GuardOptions, "allowPrivateNetworks" | "fetch" | "ports">;

/** Response limits: time in milliseconds, and body size in bytes. */
const LIMITS = { timeoutMs: 30_000, maxBytes: 256 * 1024 };

/** Creates the `fetch` for one endpoint. It reads the whole body. It throws if the status is 5xx. */
export function createEndpointFetch(endpoint: string, options: ProviderFetchOptions): Fetch {
  const guard = createGuardedFetch({ ...LIMITS, ...options, configured: endpoint });
  return async (url, init) => {
    const response = await guard(url, init);
    if (response.status >= 500) throw new Error(`The provider responded with HTTP ${response.status}.`);
    return response;
  };
}

/**
 * Drops ID tokens from responses without reading them, because the user endpoint identifies the account, and the
 * issuer in an ID token cannot be predicted if one server has multiple tenants.
 */
export function withoutIdTokens(send: Fetch): Fetch {
  return async (url, init) => {
    const response = await send(url, init);
    const text = await response.text();
    const body = readJson(text);
    const kept =
      isJsonObject(body) && "id_token" in body ? JSON.stringify({ ...body, id_token: undefined }) : text;
    const { status, headers } = response;
    return new Response(kept === "" ? null : kept, { status, headers });
  };
}
