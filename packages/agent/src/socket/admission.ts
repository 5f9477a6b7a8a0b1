/**
 * @fileoverview Accepts or rejects connections. The check uses only request headers and runs before any other work.
 * @module agent/socket/admission
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { checkOrigin } from "@tenon/internal/security/origin";
import { printable } from "@tenon/internal/text";

/** Outcome of the admission check. A rejection has an HTTP status and a reason for the response body. */
export type Admission =
  { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string };

/** Request headers that the admission check uses. */
export interface Applicant {
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/** Requirements that a connection must meet. */
export interface AdmissionRules {
  /** Origins or host names of pages that may connect. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Hash of the bearer token that clients must send. `undefined` if no token is required. */
  readonly token: Uint8Array | undefined;
}

const PASS: Admission = { ok: true };

/** Checks a connection request: first its origin, then its bearer token. */
export function checkAdmission(applicant: Applicant, rules: AdmissionRules): Admission {
  // Browsers allow cross-site WebSocket connections without a preflight, but always send the origin.
  const origin = checkOrigin(applicant.origin, rules.allowedOrigins);
  if (!origin.ok) {
    const shown = printable(applicant.origin ?? "");
    return refuse(403, `Origin "${shown}" is not allowed. Add it to \`allowedOrigins\`.`);
  }
  return rules.token === undefined ? PASS : checkToken(applicant.authorization, rules.token);
}

/** Hashes a token. Comparing hashes, which all have the same length, does not reveal the token's length. */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

function checkToken(authorization: string | undefined, expected: Uint8Array): Admission {
  const [, token = ""] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "") ?? [];
  return timingSafeEqual(hashToken(token), expected)
    ? PASS
    : refuse(401, "A valid bearer token is required. Send it as `Authorization: Bearer <token>`.");
}

function refuse(status: number, reason: string): Admission {
  return { ok: false, status, reason };
}
