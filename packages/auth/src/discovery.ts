/**
 * @fileoverview Where an issuer keeps its keys: told, or found through its metadata (RFC 8414, OpenID Connect).
 * @module auth/discovery
 */
import { isLoopbackHttp } from "@tenon/internal/security/loopback";
import { isSafeAddress } from "./addresses.js";
import type { FetchJson } from "./fetch-json.js";

/** Finds the address of the keys. @throws where the issuer cannot be asked, or answers for another one */
export async function discoverKeys(issuer: string, fetchJson: FetchJson): Promise<string> {
  for (const url of metadataAddresses(issuer)) {
    const metadata = await fetchJson(url);
    if (metadata === undefined) continue;
    // Metadata of another issuer would have us trust that one's keys.
    if (metadata["issuer"] !== issuer) throw new Error("the metadata is for another issuer");
    const { jwks_uri: keys } = metadata;
    const isSafe = typeof keys === "string" && (isSafeAddress(keys) || isQueriedAddress(keys));
    // Who speaks over TLS must not send us to a port of this machine.
    if (!isSafe || (isLoopbackHttp(keys) && !isLoopbackHttp(issuer)))
      throw new Error("jwks_uri is not usable");
    return keys;
  }
  return defaultKeys(issuer);
}

/** The address of the keys where nothing else says it. */
export function defaultKeys(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`;
}

/** All places where an issuer's metadata may be, in the order in which they are asked. */
export function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** Some issuers tell tenants apart by a query. */
function isQueriedAddress(text: string): boolean {
  const [address = "", query = ""] = text.split("?", 2);
  return isSafeAddress(address) && !/[#\s]/.test(query);
}
