/**
 * @fileoverview Finds an issuer's key URL through its metadata (RFC 8414, OpenID Connect Discovery).
 * @module auth/discovery
 */
import { isLoopbackHttp } from "@tenon/internal/security/loopback";
import { describeAddress, isSafeKeyAddress } from "./addresses.js";
import type { FetchJson } from "./fetch-json.js";

/** Finds the issuer's key URL. @throws if the metadata request fails or the metadata contains a different issuer */
export async function discoverKeys(issuer: string, fetchJson: FetchJson): Promise<string> {
  for (const url of metadataAddresses(issuer)) {
    const metadata = await fetchJson(url);
    if (metadata === undefined) continue;
    // Metadata from a different issuer would make this server trust that issuer's keys.
    const { issuer: found, jwks_uri: keys } = metadata;
    if (found !== issuer) {
      const got = typeof found === "string" ? "a different issuer" : describeAddress(found);
      throw new Error(`The \`issuer\` in the metadata at ${url} must be "${issuer}"; got ${got}.`);
    }
    const isSafe = isSafeKeyAddress(keys);
    // A remote issuer must not be able to point this server at a port on its own machine. `fetchJson` checks https URLs.
    if (!isSafe || (isLoopbackHttp(keys) && !isLoopbackHttp(issuer))) {
      const got = isSafe ? "a loopback http URL" : describeAddress(keys);
      throw new Error(`The \`jwks_uri\` in the metadata at ${url} must be an https URL; got ${got}.`);
    }
    return keys;
  }
  return defaultKeys(issuer);
}

/** Returns the key URL to use if none is configured or discovered. */
export function defaultKeys(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`;
}

/** Lists an issuer's metadata URLs in the order in which they are tried. */
export function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
