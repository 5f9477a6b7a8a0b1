/**
 * @fileoverview Accepts or rejects connections. The check uses only request headers and runs before any other work.
 * @module agent/socket/admission
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { checkOrigin } from "@tenon/internal/security/origin";
import { printable } from "@tenon/internal/text";
import { type Credentials, findCredentials, readBearer } from "../users/credentials.js";
import type { Identify } from "../users/identify.js";

/**
 * Outcome of the admission check. A rejection has an HTTP status and a reason for the response body. With `credentials`,
 * the connection must still be authenticated.
 */
export type Admission =
  | { readonly ok: true; readonly credentials?: Credentials }
  | { readonly ok: false; readonly status: number; readonly reason: string };

/** Request headers that the admission check uses. */
export interface Applicant {
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  readonly cookies: string | undefined;
}

/** Requirements that a connection must meet. */
export interface AdmissionRules {
  /** Origins or host names of pages that may connect. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Hash of the bearer token that clients must send. `undefined` if no token is required. */
  readonly token: Uint8Array | undefined;
  /** Identifies users by their tokens. `undefined` if the server has no users. */
  readonly users: { readonly identify: Identify; readonly cookie: string | undefined } | undefined;
}

const PASS: Admission = { ok: true };

/** Checks a connection request: first its origin, then its token. */
export function checkAdmission(applicant: Applicant, rules: AdmissionRules): Admission {
  // Browsers allow cross-site WebSocket connections without a preflight, but always send the origin.
  const origin = checkOrigin(applicant.origin, rules.allowedOrigins);
  if (!origin.ok) {
    const shown = printable(applicant.origin ?? "");
    return refuse(403, `Origin "${shown}" is not allowed. Add it to \`allowedOrigins\`.`);
  }
  if (rules.users !== undefined) return checkCredentials(applicant, rules.users.cookie);
  return rules.token === undefined ? PASS : checkToken(applicant.authorization, rules.token);
}

/** Hashes a token. Comparing hashes, which all have the same length, does not reveal the token's length. */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

/** Creates the check of a token in an `authenticate` message, for a server with one token for all clients. */
export function createTokenCheck(expected: Uint8Array): Identify {
  return async (token) =>
    token !== undefined && timingSafeEqual(hashToken(token), expected)
      ? { kind: "accepted", user: undefined, lifetime: {} }
      : { kind: "rejected" };
}

function checkToken(authorization: string | undefined, expected: Uint8Array): Admission {
  // Browsers cannot send the header. Their first message must contain the token.
  if (authorization === undefined) return { ok: true, credentials: { kind: "none" } };
  const token = readBearer(authorization) ?? "";
  return timingSafeEqual(hashToken(token), expected)
    ? PASS
    : refuse(401, "A valid bearer token is required. Send it as `Authorization: Bearer <token>`.");
}

function checkCredentials(applicant: Applicant, cookieName: string | undefined): Admission {
  const { authorization, cookies, origin } = applicant;
  const credentials = findCredentials({ authorization, cookies, cookieName });
  // Browsers add cookies to requests of every page, so the page must be known. Only its origin identifies it.
  if (credentials.kind === "token" && credentials.from === "cookie" && origin === undefined)
    return refuse(
      403,
      "A token in a cookie requires an `Origin` header. Send the token in a header instead.",
    );
  return { ok: true, credentials };
}

function refuse(status: number, reason: string): Admission {
  return { ok: false, status, reason };
}
