/**
 * @fileoverview The `WWW-Authenticate` header (RFC 6750, RFC 9728): what a refused caller needs to come back better.
 * @module auth/challenge
 */
import type { HttpHeaders } from "tenon/fetch";
import { isScope } from "./scopes.js";

/** What goes with every challenge of a resource. */
export interface ChallengeParts {
  readonly realm: string | undefined;
  /** Where the metadata of the resource is. */
  readonly metadataUrl: string | undefined;
}

/** What a challenge is about. */
export interface ChallengeReason {
  readonly error?: "invalid_token" | "insufficient_scope";
  /** Words of ours. */
  readonly description?: string;
  /** All scopes that are needed, at once. */
  readonly scopes?: readonly string[];
}

/** The header of a refusal. */
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

/** Whether text may stand in a quoted string without harm. */
export function isQuotable(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

function parameter(name: string, value: string | undefined): string {
  return value === undefined ? "" : `${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
