/**
 * @fileoverview Scope challenges: a request that needs more OAuth scopes is rejected with 403, and the client asks for
 * them.
 * @module sdk/v2/serving/scope-challenge
 */
import type { McpResponse } from "tenon";
import { isJsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import type { AuthInfo, ScopeChallenge, ScopeChallengeHandler } from "../types.js";

/** Characters of a scope (RFC 6749). */
const SCOPE = /^[\u0021\u0023-\u005B\u005D-\u007E]+$/;
/** Characters of an error description (RFC 6750). */
const DESCRIPTION = /^[\u0020-\u0021\u0023-\u005B\u005D-\u007E]+$/;

/** Creates a handler that requires all of the scopes. A request without authorization passes. */
export function requireScopes(...scopes: readonly [string, ...string[]]): ScopeChallengeHandler {
  const wrong = scopes.findIndex((scope) => !SCOPE.test(scope));
  if (scopes.length === 0) throw new TypeError("requireScopes: at least one scope is required.");
  if (wrong !== -1)
    throw new TypeError(`requireScopes: scope ${wrong + 1} contains a character that is not allowed.`);
  return ({ authInfo }) =>
    authInfo === undefined || scopes.every((scope) => authInfo.scopes.includes(scope))
      ? undefined
      : { scopes };
}

/** Asserts that a challenge can be written to a header. @throws {TypeError} if it cannot */
export function assertChallenge(challenge: ScopeChallenge): void {
  const { scopes, errorDescription: description } = challenge;
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every((scope) => SCOPE.test(scope)))
    throw new TypeError("A scope challenge must contain at least one scope, without spaces or quotes.");
  if (description !== undefined && !(typeof description === "string" && DESCRIPTION.test(description)))
    throw new TypeError("The description of a scope challenge must be printable text without quotes.");
}

/** Creates the 403 response of a challenge. */
export function toChallengeResponse(challenge: ScopeChallenge, authInfo: AuthInfo | undefined): Response {
  const { scopes, errorDescription = "Insufficient scope" } = challenge;
  const metadata = metadataUrl(authInfo);
  const fields = [
    'error="insufficient_scope"',
    `error_description="${errorDescription}"`,
    `scope="${scopes.join(" ")}"`,
    ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
  ];
  return Response.json(
    { error: "insufficient_scope", error_description: errorDescription },
    { status: 403, headers: { "www-authenticate": `Bearer ${fields.join(", ")}` } },
  );
}

/** Creates the 403 response of a request that the server itself rejected, or `undefined` if it names no valid scopes. */
export function challengeFor(
  { errorData: data }: McpResponse,
  authInfo: AuthInfo | undefined,
): Response | undefined {
  const required = isJsonObject(data) ? data["requiredScopes"] : undefined;
  const given: readonly unknown[] = Array.isArray(required) ? required : [];
  const [first, ...rest] = given.filter((scope) => typeof scope === "string" && SCOPE.test(scope));
  if (typeof first !== "string") return undefined;
  return toChallengeResponse({ scopes: [first, ...rest.map(String)] }, authInfo);
}

/** Returns the address of the protected resource's metadata: the one that authentication used, or the well-known one. */
function metadataUrl(authInfo: AuthInfo | undefined): string | undefined {
  // Safe: both members are checked
  const { resourceMetadataUrl: given, resource } = (authInfo ?? {}) as AuthInfo & {
    resourceMetadataUrl?: unknown;
  };
  if (typeof given === "string" && isUrl(given)) return new URL(given).href;
  if (!isJsonObject(resource) || !/^https?:$/.test(resource.protocol)) return undefined;
  const path = resource.pathname === "/" ? "" : resource.pathname;
  return new URL(`/.well-known/oauth-protected-resource${path}`, resource).href;
}
