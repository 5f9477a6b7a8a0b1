/**
 * @fileoverview Who may open a connection: decided on the headers alone, before anything else is done for it.
 * @module agent/socket/admission
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { checkOrigin } from "@tenon/internal/security/origin";

/** Whether a connection may open, or the status and the reason it is refused with. */
export type Admission =
  { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string };

/** What admission is decided on. */
export interface Applicant {
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/** What a server asks of those who connect. */
export interface AdmissionRules {
  /** Origins, or host names of pages, that may connect. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** The fingerprint of the token that they must bear, where there is one. */
  readonly token: Uint8Array | undefined;
}

const PASS: Admission = { ok: true };

/** Decides on one applicant. */
export function checkAdmission(applicant: Applicant, rules: AdmissionRules): Admission {
  // Browsers open WebSockets across sites without asking, and always send the origin.
  const origin = checkOrigin(applicant.origin, rules.allowedOrigins);
  if (!origin.ok) return refuse(403, "Origin is not allowed; see allowedOrigins");
  return rules.token === undefined ? PASS : checkToken(applicant.authorization, rules.token);
}

/** A fingerprint of a token: all have one length, so that comparing tells nothing of it. */
export function fingerprint(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

function checkToken(authorization: string | undefined, expected: Uint8Array): Admission {
  const [, token = ""] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "") ?? [];
  return timingSafeEqual(fingerprint(token), expected) ? PASS : refuse(401, "A valid bearer token is needed");
}

function refuse(status: number, reason: string): Admission {
  return { ok: false, status, reason };
}
