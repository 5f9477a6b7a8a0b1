/**
 * @fileoverview Explains why a server rejected a request (HTTP 401 or 403), and the scopes that the token lacks.
 * @module cli/client/refusal
 */
import { fromBase64Url } from "@tenon/internal/base64";
import { oneLine } from "@tenon/internal/text";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { ConnectionError } from "tenon/client";
import { DEFAULT_LIMITS, parseFrame } from "tenon/protocol";

/** Describes a rejection for the user. */
export function describeRejection(
  { code, reason = "", requiredScopes }: ConnectionError,
  token: string | undefined,
): string {
  const why = reason === "" ? "." : `: ${reason}`;
  if (code === "forbidden")
    return `The server denied access (HTTP 403)${why} ${describeScopes(requiredScopes, token)}`;
  return token === undefined
    ? `The server requires authorization (HTTP 401)${why} Pass a token with --bearer-env.`
    : `The server rejected the token (HTTP 401)${why}`;
}

/** Describes the scopes that a call requires and its token lacks. */
export function describeScopes(required: readonly string[], token: string | undefined): string {
  if (required.length === 0) return "Check the token's scopes and the server's allowed hosts.";
  const shown = (scopes: readonly string[]) => scopes.map((scope) => oneLine(scope, 100)).join(", ");
  if (token === undefined) return `Use --bearer-env to pass a token with these scopes: ${shown(required)}.`;
  const granted = readTokenScopes(token);
  const missing = granted === undefined ? [] : required.filter((scope) => !granted.includes(scope));
  return missing.length === 0
    ? `Required scopes: ${shown(required)}.`
    : `The token lacks these scopes: ${shown(missing)}.`;
}

/** Returns the bearer token in a request's headers. */
export function bearerOf(sent: readonly (readonly [string, string])[]): string | undefined {
  const value = sent.find(([name]) => name.toLowerCase() === "authorization")?.[1];
  return value === undefined ? undefined : (/^Bearer +([^ ].*)$/i.exec(value)?.[1] ?? value);
}

/** Reads the scopes of a JWT without verifying it. Returns `undefined` for other tokens. */
function readTokenScopes(token: string): readonly string[] | undefined {
  const claims = readClaims(token);
  if (claims === undefined) return undefined;
  const scopes = claims["scp"] ?? claims["scope"] ?? "";
  if (typeof scopes === "string") return scopes.split(" ");
  return Array.isArray(scopes) ? scopes.map(String) : undefined;
}

function readClaims(token: string): JsonObject | undefined {
  const [, payload = "", signature] = token.split(".");
  if (signature === undefined) return undefined;
  const bytes = fromBase64Url(payload);
  const text = bytes === undefined ? undefined : decodeUtf8(bytes);
  const parsed = text === undefined ? undefined : parseFrame(text, DEFAULT_LIMITS);
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : undefined;
}
