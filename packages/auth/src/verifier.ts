/**
 * @fileoverview From the text of a token to who its bearer is: form, key, signature, claims, in this order.
 * @module auth/verifier
 */
import type { CryptoKey } from "jose";
import type { Auth } from "tenon";
import type { Ports } from "@tenon/internal/ports";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { checkClaims, type ClaimRules } from "./tokens/claims.js";
import { checkHeader, readObject } from "./tokens/compact-token.js";
import { defaultKeys, discoverKeys } from "./discovery.js";
import { createFetchJson } from "./fetch-json.js";
import { createKeySet, type FindKey } from "./key-set.js";
import { type Jose, loadJose } from "./load-jose.js";
import { type JwtOptions, OAUTH_ALGORITHMS, type OAuthOptions } from "./options.js";
import type { TokenProblem } from "./tokens/problems.js";
import { audiencesOf } from "./resource-metadata.js";
import { createVerifiedTokens } from "./verified-tokens.js";

/** What came of a token. */
export type Verified =
  | { readonly ok: true; readonly auth: Auth }
  | { readonly ok: false; readonly problem: TokenProblem | "unavailable" };

/** Checks tokens. @throws where jose is not installed */
export type Verify = (token: string) => Promise<Verified>;

/** Makes the check of tokens for a mode. */
export function createVerifier(options: JwtOptions | OAuthOptions, ports: Ports): Verify {
  const rules = toRules(options);
  const algorithms: readonly string[] =
    options.mode === "jwt" ? ["HS256"] : (options.algorithms ?? OAUTH_ALGORITHMS);
  const prepare = async () => {
    const jose = await loadJose();
    const findKey =
      options.mode === "jwt" ? await secretKey(options, ports) : issuerKeys(options, ports, jose);
    return { jose, findKey };
  };
  let prepared: ReturnType<typeof prepare> | undefined;

  const known = createVerifiedTokens(ports, options.cacheMs ?? 60_000);

  return async (token) => {
    const checked = checkHeader(token, algorithms);
    if (!checked.ok) return checked;
    const { header } = checked;
    const name = await known.keyOf(token);
    const seen = known.get(name);
    if (seen !== undefined) return { ok: true, auth: seen };
    prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    const { jose, findKey } = await prepared;
    const key = await findKey(header);
    if (key === "unavailable") return { ok: false, problem: "unavailable" };
    if (key === "unknown") return { ok: false, problem: "key" };
    const payload = await verifySignature(jose, token, key, header.alg);
    if (payload === undefined) return { ok: false, problem: "signature" };
    const claims = readObject(payload);
    if (claims === undefined) return { ok: false, problem: "claims" };
    const found = checkClaims(claims, rules, ports.now());
    if (found.ok) known.put(name, found.auth, found.until);
    return found;
  };
}

/** The bytes that were signed; nothing where the signature is not the key's. */
async function verifySignature(
  jose: Jose,
  token: string,
  key: CryptoKey,
  algorithm: string,
): Promise<Uint8Array | undefined> {
  try {
    const { payload } = await jose.compactVerify(token, key, { algorithms: [algorithm] });
    return payload;
  } catch {
    return undefined; // also where the key is too weak for its algorithm
  }
}

function toRules(options: JwtOptions | OAuthOptions): ClaimRules {
  const { issuer, audience, clockSkewSeconds = 5, maxTokenAgeSeconds } = options;
  const resource = options.mode === "oauth" ? options.resource : undefined;
  const audiences = resource === undefined ? undefined : audiencesOf(resource);
  return {
    issuer,
    audiences: audience === undefined ? audiences : [audience].flat(),
    clockSkewSeconds,
    maxTokenAgeSeconds,
    // A token of an authorization server may stand for a client alone; tools name the scopes that they need.
    needsScopes: options.mode === "jwt",
  };
}

/** The shared secret as a key that cannot be read back. It takes no part in any other algorithm. */
async function secretKey({ secretKey: secret }: JwtOptions, { subtle }: Ports): Promise<FindKey> {
  const bytes = typeof secret === "string" ? encodeUtf8(secret) : Uint8Array.from(secret);
  const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  return async () => key;
}

function issuerKeys(options: OAuthOptions, ports: Ports, jose: Jose): FindKey {
  const { issuer, jwksUri, discover = true, cooldownMs = 10_000, onEvent } = options;
  const fetchJson = createFetchJson(options.fetch ?? ((url, init) => globalThis.fetch(url, init)), ports);
  const given = jwksUri ?? (discover ? undefined : defaultKeys(issuer));
  let found: string | undefined;
  return createKeySet({
    jose,
    async fetchKeys() {
      const address = given ?? found ?? (await discoverKeys(issuer, fetchJson));
      found = undefined; // an issuer that moved its keys is asked again where they are
      const keys = await fetchJson(address);
      if (keys !== undefined) found = address;
      return keys;
    },
    now: ports.now,
    cooldownMs,
    maxAgeMs: MAX_AGE_MS,
    maxStaleMs: MAX_STALE_MS,
    onFailure: () => onEvent?.({ type: "keys-failed" }),
  });
}

/** Keys that were taken back stop counting after ten minutes; an issuer that is away may be so for a day. */
const MAX_AGE_MS = 600_000;
const MAX_STALE_MS = 86_400_000;
