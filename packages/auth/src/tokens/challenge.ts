/**
 * @fileoverview Builds the `WWW-Authenticate` header (RFC 6750, RFC 9728).
 * @module auth/tokens/challenge
 */
import type { HttpHeaders } from "tenon/fetch";
import { isScope } from "./scopes.js";

/** Parameters that all challenges for a resource share. */
export interface ChallengeParts {
  /** Name of the protection space (RFC 9110). */
  readonly realm: string | undefined;
  /** URL of the resource metadata. */
  readonly metadataUrl: string | undefined;
}

/** Parameters that depend on the rejected request. */
export interface ChallengeReason {
  readonly error?: "invalid_token" | "insufficient_scope";
  /** Text from this package, never from the request. */
  readonly description?: string;
  /** Every scope that the request requires. */
  readonly scopes?: readonly string[];
}

/** Builds the `WWW-Authenticate` header for a rejected request. Scopes with invalid characters are omitted. */
export function challengeHeaders(parts: ChallengeParts, reason: ChallengeReason): HttpHeaders {
  const scope = [...new Set(reason.scopes ?? [])].filter(isScope).join(" ");
  const parameters = [
    parameter("realm", parts.realm),
    parameter("error", reason.error),
    parameter("error_description", reason.description),
    parameter("scope", scope === "" ? undefined : scope),
    parameter("resource_metadata", parts.metadataUrl),
  ].filter((text) => text !== "");
  return { "www-authenticate": ["Bearer", parameters.join(", ")].join(" ").trimEnd() };
}

function parameter(name: string, value: string | undefined): string {
  return value === undefined ? "" : `${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
