/**
 * @fileoverview Finds the URL of an issuer's keys through its metadata (RFC 8414, OpenID Connect Discovery).
 * @module auth/discovery
 */
import { isLoopbackHttp } from "@tenon/internal/security/loopback";
import { isSafeAddress } from "./addresses.js";
import type { FetchJson } from "./fetch-json.js";

/** Finds the URL of the issuer's keys. @throws if the metadata request fails or describes another issuer */
export async function discoverKeys(issuer: string, fetchJson: FetchJson): Promise<string> {
  for (const url of metadataAddresses(issuer)) {
    const metadata = await fetchJson(url);
    if (metadata === undefined) continue;
    // Accepting the metadata of another issuer would mean trusting that issuer's keys.
    if (metadata["issuer"] !== issuer) throw new Error("The metadata describes another issuer.");
    const { jwks_uri: keys } = metadata;
    const isSafe = typeof keys === "string" && (isSafeAddress(keys) || isQueriedAddress(keys));
    // An issuer reached over TLS must not redirect us to a port on this machine.
    if (!isSafe || (isLoopbackHttp(keys) && !isLoopbackHttp(issuer)))
      throw new Error("The `jwks_uri` in the metadata must be an https URL.");
    return keys;
  }
  return defaultKeys(issuer);
}

/** Returns the default URL of the keys, used when no other URL is configured or discovered. */
export function defaultKeys(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`;
}

/** Lists the URLs of an issuer's metadata, in the order in which they are requested. */
export function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** Checks a URL that may have a query: some issuers identify the tenant in the query. */
function isQueriedAddress(text: string): boolean {
  const [address = "", query = ""] = text.split("?", 2);
  return isSafeAddress(address) && !/[#\s]/.test(query);
}
