/**
 * @fileoverview Admission of connections, decided on the headers alone before anything else is done for a client.
 * @module agent/socket/admission
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { checkOrigin } from "@tenon/internal/security/origin";

/** Outcome of admission: the connection may open, or it is refused with a status and a reason. */
export type Admission =
  { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string };

/** Headers that admission is decided on. */
export interface Applicant {
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/** Requirements of a server for connections. */
export interface AdmissionRules {
  /** Origins, or host names of pages, that may connect. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Hash of the bearer token that clients must send, if one is required. */
  readonly token: Uint8Array | undefined;
}

const PASS: Admission = { ok: true };

/** Checks one applicant. */
export function checkAdmission(applicant: Applicant, rules: AdmissionRules): Admission {
  // Browsers open WebSockets across sites without asking, and always send the origin.
  const origin = checkOrigin(applicant.origin, rules.allowedOrigins);
  if (!origin.ok) return refuse(403, "Origin is not allowed. Add it to `allowedOrigins`.");
  return rules.token === undefined ? PASS : checkToken(applicant.authorization, rules.token);
}

/** Hashes a token. All hashes have the same length, so a comparison reveals nothing about the token. */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

function checkToken(authorization: string | undefined, expected: Uint8Array): Admission {
  const [, token = ""] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "") ?? [];
  return timingSafeEqual(hashToken(token), expected)
    ? PASS
    : refuse(401, "A valid bearer token is required.");
}

function refuse(status: number, reason: string): Admission {
  return { ok: false, status, reason };
}
