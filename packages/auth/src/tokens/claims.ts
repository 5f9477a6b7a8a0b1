/**
 * @fileoverview The claims of a token whose signature holds: from whom, for whom, until when, and for what.
 * @module auth/claims
 */
import type { Auth } from "tenon";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import type { JsonObject } from "@tenon/internal/json";
import type { TokenProblem } from "./problems.js";
import { readScopes } from "./scopes.js";

/** What a token must say. */
export interface ClaimRules {
  /** Exactly this issuer; any where it is left open. */
  readonly issuer: string | undefined;
  /** One of these must be among the audiences; any token passes where it is left open. */
  readonly audiences: readonly string[] | undefined;
  /** How far clocks may differ. */
  readonly clockSkewSeconds: number;
  /** How long ago a token may have been issued, whatever it says of its end. */
  readonly maxTokenAgeSeconds: number | undefined;
  /** Whether a token without scopes is refused. */
  readonly needsScopes: boolean;
}

/** Who the bearer is and when that has to be asked again, in milliseconds; or what is wrong with the claims. */
export type ClaimsCheck =
  | { readonly ok: true; readonly auth: Auth; readonly until: number }
  | { readonly ok: false; readonly problem: TokenProblem };

/** Holds claims against the rules. `now` is in milliseconds. */
export function checkClaims(claims: JsonObject, rules: ClaimRules, now: number): ClaimsCheck {
  const problem =
    checkIssuer(claims, rules) ?? checkAudience(claims, rules) ?? checkTimes(claims, rules, now / 1_000);
  if (problem !== undefined) return { ok: false, problem };
  // A token that is bound to its holder's key (RFC 7800) proves nothing in the hands of whoever else shows it.
  if (claims["cnf"] !== undefined) return { ok: false, problem: "bound" };
  const clientId = readClient(claims);
  if (clientId === undefined) return { ok: false, problem: "client" };
  const scopes = readScopes(claims["scp"], claims["scope"]);
  if (scopes === undefined || (rules.needsScopes && scopes.length === 0)) {
    return { ok: false, problem: "scopes" };
  }
  const { iss: issuer, sub: subject } = claims;
  if (subject !== undefined && !isName(subject)) return { ok: false, problem: "claims" };
  const { exp, iat } = claims as { readonly exp: number; readonly iat?: number }; // the times were checked
  const maxAge = rules.maxTokenAgeSeconds ?? Infinity;
  const end = Math.min(exp, (iat ?? Infinity) + maxAge) + rules.clockSkewSeconds;
  return {
    ok: true,
    until: end * 1_000,
    // It is kept for later requests too: what a handler does to it must not last.
    auth: frozenCopy({
      principal: principalOf(issuer as string | undefined, subject, clientId), // the issuer was checked
      scopes,
      clientId,
      ...(subject === undefined ? {} : { subject }),
      expiresAt: exp * 1_000,
    }),
  };
}

/** One text for issuer, subject and client together: no two of them have the same. */
export function principalOf(
  issuer: string | undefined,
  subject: string | undefined,
  clientId: string,
): string {
  return JSON.stringify([issuer ?? null, subject ?? null, clientId]);
}

function checkIssuer({ iss }: JsonObject, { issuer }: ClaimRules): TokenProblem | undefined {
  if (issuer === undefined) return iss === undefined || isName(iss) ? undefined : "claims";
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
  if (!isTime(exp) || !(nbf === undefined || isTime(nbf)) || !(iat === undefined || isTime(iat))) {
    return "claims";
  }
  if (exp <= now - skew) return "expired";
  if ((nbf ?? 0) > now + skew || (iat ?? 0) > now + skew) return "early";
  if (maxAge === undefined) return undefined;
  if (iat === undefined) return "claims";
  return iat < now - maxAge - skew ? "expired" : undefined;
}

/** The client, whichever claim an issuer names it by. Claims that disagree name nobody. */
function readClient(claims: JsonObject): string | undefined {
  const named = ["cid", "client_id", "azp"].map((name) => claims[name]).filter((id) => id !== undefined);
  const [clientId] = named;
  return isName(clientId) && named.every((other) => other === clientId) ? clientId : undefined;
}

const MAX_AUDIENCES = 64;
/** Seconds up to which a time in milliseconds is exact. */
const MAX_TIME = Number.MAX_SAFE_INTEGER / 1_000;

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MAX_TIME;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A name that can be shown and logged: of bounded length, without control and format characters. */
function isName(value: unknown): value is string {
  return typeof value === "string" && /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,512}$/u.test(value);
}
