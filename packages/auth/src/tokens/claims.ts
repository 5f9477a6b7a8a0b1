/**
 * @fileoverview Checks a token's claims once its signature is verified: issuer, audience, lifetime, client, and scopes.
 * @module auth/tokens/claims
 */
import type { Auth } from "tenon";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import type { JsonObject } from "@tenon/internal/json";
import type { TokenProblem } from "./problems.js";
import { readScopes } from "./scopes.js";

/** Requirements for a token's claims. */
export interface ClaimRules {
  /** Required issuer; `undefined` accepts any. */
  readonly issuer: string | undefined;
  /** Accepted audiences; `undefined` accepts any. */
  readonly audiences: readonly string[] | undefined;
  /** Allowed clock skew in seconds. */
  readonly clockSkewSeconds: number;
  /** Maximum token age in seconds, measured from `iat`, regardless of `exp`. `undefined` means no limit. */
  readonly maxTokenAgeSeconds: number | undefined;
  /** True to reject tokens without scopes. */
  readonly needsScopes: boolean;
}

/**
 * Authenticated caller and the time until which its token is accepted (milliseconds since the epoch), or the problem
 * with the claims.
 */
export type ClaimsCheck =
  | { readonly ok: true; readonly auth: Auth; readonly until: number }
  | { readonly ok: false; readonly problem: TokenProblem };

/** Checks claims against the rules. `now` is in milliseconds since the epoch. */
export function checkClaims(claims: JsonObject, rules: ClaimRules, now: number): ClaimsCheck {
  const problem =
    checkIssuer(claims, rules) ?? checkAudience(claims, rules) ?? checkTimes(claims, rules, now / 1_000);
  if (problem !== undefined) return { ok: false, problem };
  // A token bound to its holder's key (RFC 7800) must not be accepted as a bearer token.
  if (claims["cnf"] !== undefined) return { ok: false, problem: "bound" };
  const clientId = readClient(claims);
  if (clientId === undefined) return { ok: false, problem: "client" };
  const scopes = readScopes(claims["scp"], claims["scope"]);
  if (scopes === undefined || (rules.needsScopes && scopes.length === 0)) {
    return { ok: false, problem: "scopes" };
  }
  const { iss: issuer, sub: subject } = claims;
  if (subject !== undefined && !isName(subject)) return { ok: false, problem: "sub" };
  // Safe: `checkTimes` checked both.
  const { exp, iat } = claims as { readonly exp: number; readonly iat?: number };
  const maxAge = rules.maxTokenAgeSeconds ?? Infinity;
  const end = Math.min(exp, (iat ?? Infinity) + maxAge) + rules.clockSkewSeconds;
  return {
    ok: true,
    until: end * 1_000,
    // The object is cached and shared by later requests, so handlers must not be able to change it.
    auth: frozenCopy({
      // Safe: `checkIssuer` checked it.
      principal: principalOf(issuer as string | undefined, subject, clientId),
      scopes,
      clientId,
      ...(subject === undefined ? {} : { subject }),
      expiresAt: exp * 1_000,
    }),
  };
}

/** Combines issuer, subject, and client into one string. Different callers never get the same string. */
export function principalOf(
  issuer: string | undefined,
  subject: string | undefined,
  clientId: string,
): string {
  return JSON.stringify([issuer ?? null, subject ?? null, clientId]);
}

function checkIssuer({ iss }: JsonObject, { issuer }: ClaimRules): TokenProblem | undefined {
  if (issuer === undefined) return iss === undefined || isName(iss) ? undefined : "iss";
  return iss === issuer ? undefined : "issuer";
}

function checkAudience({ aud }: JsonObject, { audiences }: ClaimRules): TokenProblem | undefined {
  if (audiences === undefined) return undefined;
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (named.length > MAX_AUDIENCES || !named.every(isText)) return "audience";
  return audiences.some((audience) => named.includes(audience)) ? undefined : "audience";
}

function checkTimes(claims: JsonObject, rules: ClaimRules, now: number): TokenProblem | undefined {
  const { exp, nbf, iat } = claims;
  const { clockSkewSeconds: skew, maxTokenAgeSeconds: maxAge } = rules;
  if (!isTime(exp)) return "exp";
  if (!(nbf === undefined || isTime(nbf))) return "nbf";
  if (!(iat === undefined || isTime(iat))) return "iat";
  if (exp <= now - skew) return "expired";
  if ((nbf ?? 0) > now + skew || (iat ?? 0) > now + skew) return "early";
  if (maxAge === undefined) return undefined;
  if (iat === undefined) return "iat";
  return iat < now - maxAge - skew ? "expired" : undefined;
}

/**
 * Reads the client ID from `cid`, `client_id`, or `azp`. Returns `undefined` if all are missing, if they differ, or if
 * the ID is malformed.
 */
function readClient(claims: JsonObject): string | undefined {
  const named = ["cid", "client_id", "azp"].map((name) => claims[name]).filter((id) => id !== undefined);
  const [clientId] = named;
  return isName(clientId) && named.every((other) => other === clientId) ? clientId : undefined;
}

const MAX_AUDIENCES = 64;
/** Largest time in seconds that is still exact when converted to milliseconds. */
const MAX_TIME = Number.MAX_SAFE_INTEGER / 1_000;

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MAX_TIME;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/**
 * Returns true if a name is safe to display and log: 1 to 512 characters, with no control or format characters, line
 * separators, or lone surrogates.
 */
function isName(value: unknown): value is string {
  return typeof value === "string" && /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,512}$/u.test(value);
}
