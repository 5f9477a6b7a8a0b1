/**
 * @fileoverview Verifies an access token in this order: form, key, signature, claims.
 * @module auth/verifier
 */
import type { CryptoKey } from "jose";
import { compactVerify } from "jose/jws/compact/verify";
import type { Auth } from "tenon";
import { deepFreeze } from "@tenon/internal/deep-freeze";
import type { JsonObject } from "@tenon/internal/json";
import { createGuardedFetch } from "@tenon/internal/outgoing/guarded-fetch";
import type { Ports } from "@tenon/internal/ports";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { checkClaims, type ClaimRules } from "./tokens/claims.js";
import { checkHeader, readObject } from "./tokens/compact-token.js";
import { defaultKeys, discoverKeys } from "./discovery.js";
import { createFetchJson, RESPONSE_LIMITS } from "./fetch-json.js";
import { createKeySet, type FindKey } from "./key-set.js";
import type { AuthorizationSettings } from "./options.js";
import type { TokenProblem } from "./tokens/problems.js";
import { audiencesOf } from "./resource-metadata.js";
import { createVerifiedTokens } from "./verified-tokens.js";

/** A valid token. Cached tokens are shared by several requests, so all members are frozen. */
export interface VerifiedToken {
  readonly ok: true;
  readonly auth: Auth;
  /** Time until which the token is accepted, in milliseconds since the epoch. Includes the allowed clock skew. */
  readonly until: number;
  /** The token's payload. Empty unless the `revocation` option needs it. */
  readonly claims: JsonObject;
}

/** Outcome of verifying a token. `unavailable` means that the issuer's keys could not be fetched. */
export type Verified = VerifiedToken | { readonly ok: false; readonly problem: TokenProblem | "unavailable" };

/** Verifies an access token and identifies the caller. */
export type Verify = (token: string) => Promise<Verified>;

/** Creates a verifier for the mode in the options. Keys are loaded when the first token arrives. */
export function createVerifier(options: AuthorizationSettings<"jwt" | "oauth">, ports: Ports): Verify {
  const rules = toRules(options);
  const algorithms: readonly string[] = options.mode === "jwt" ? ["HS256"] : options.algorithms;
  const openKeys = async (): Promise<FindKey> =>
    options.mode === "jwt" ? importSecret(options, ports) : createIssuerKeys(options, ports);
  let keys: Promise<FindKey> | undefined;

  const known = createVerifiedTokens<VerifiedToken>(ports, options.cacheMs);

  return async (token) => {
    const checked = checkHeader(token, algorithms);
    if (!checked.ok) return checked;
    const { header } = checked;
    const name = await known.keyOf(token);
    const seen = known.get(name);
    if (seen !== undefined) return seen;
    keys ??= openKeys().catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    const findKey = await keys;
    const key = await findKey(header);
    if (key === "unavailable") return { ok: false, problem: "unavailable" };
    if (key === "unknown") return { ok: false, problem: "key" };
    const payload = await verifySignature(token, key, header.alg);
    if (payload === undefined) return { ok: false, problem: "signature" };
    const claims = readObject(payload);
    if (claims === undefined) return { ok: false, problem: "claims" };
    const found = checkClaims(claims, rules, ports.now());
    if (!found.ok) return found;
    const { auth, until } = found;
    const kept = options.revocation === undefined ? NO_CLAIMS : deepFreeze(claims);
    const verified: VerifiedToken = { ok: true, auth, until, claims: kept };
    known.put(name, verified, until);
    return verified;
  };
}

const NO_CLAIMS: JsonObject = /* @__PURE__ */ Object.freeze({});

/** Returns the signed payload, or `undefined` if the signature does not match the key. */
async function verifySignature(
  token: string,
  key: CryptoKey,
  algorithm: string,
): Promise<Uint8Array | undefined> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
    return payload;
  } catch {
    return undefined; // jose also throws if the key is too weak for its algorithm
  }
}

function toRules(options: AuthorizationSettings<"jwt" | "oauth">): ClaimRules {
  const { issuer, audience, clockSkewSeconds, maxTokenAgeSeconds } = options;
  const resource = options.mode === "oauth" ? options.resource : undefined;
  const audiences = resource === undefined ? undefined : audiencesOf(resource);
  return {
    issuer,
    audiences: audience === undefined ? audiences : [audience].flat(),
    clockSkewSeconds,
    maxTokenAgeSeconds,
    // An authorization server may issue tokens without scopes. Tools declare the scopes that they require.
    needsScopes: options.mode === "jwt",
  };
}

/** Imports the shared secret as a non-extractable HMAC key for SHA-256 only. */
async function importSecret(
  { secretKey: secret }: AuthorizationSettings<"jwt">,
  { subtle }: Ports,
): Promise<FindKey> {
  const bytes = typeof secret === "string" ? encodeUtf8(secret) : Uint8Array.from(secret);
  const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  return async () => key;
}

function createIssuerKeys(options: AuthorizationSettings<"oauth">, ports: Ports): FindKey {
  const { issuer, jwksUri, discover, cooldownMs, onEvent } = options;
  const { fetch, allowPrivateNetworks, keyGraceMs } = options;
  const configured = jwksUri ?? issuer;
  const guard = createGuardedFetch({ ...RESPONSE_LIMITS, configured, allowPrivateNetworks, fetch, ports });
  const fetchJson = createFetchJson(guard);
  const given = jwksUri ?? (discover ? undefined : defaultKeys(issuer));
  let found: string | undefined;
  return createKeySet({
    async fetchKeys() {
      const address = given ?? found ?? (await discoverKeys(issuer, fetchJson));
      found = undefined; // if the fetch fails, discovery runs again, because the issuer may have moved its keys
      const keys = await fetchJson(address);
      if (keys !== undefined) found = address;
      return keys;
    },
    now: ports.now,
    cooldownMs,
    maxAgeMs: MAX_AGE_MS,
    graceMs: keyGraceMs,
    maxStaleMs: MAX_STALE_MS,
    onFailure: (message) => onEvent?.({ type: "keys-failed", message }),
  });
}

/** Keys are refetched after ten minutes, so that revoked keys stop working. If that fails, they last up to a day. */
const MAX_AGE_MS = 600_000;
const MAX_STALE_MS = 86_400_000;
