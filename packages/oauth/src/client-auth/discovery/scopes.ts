/**
 * @fileoverview Scopes (RFC 6749) in challenges, metadata, and requests.
 * @module oauth/client-auth/discovery/scopes
 */

/** Maximum number of scopes in one request, and maximum length of a scope in characters. */
const MAX_SCOPES = 256;
const MAX_LENGTH = 256;

/** Scope with which a client asks for a refresh token (OpenID Connect). */
const OFFLINE_ACCESS = "offline_access";

/** Reads scopes that are separated by spaces, or an array. Drops malformed and repeated ones. */
export function readScopeList(value: unknown): readonly string[] | undefined {
  const list: unknown =
    typeof value === "string" ? value.slice(0, MAX_SCOPES * MAX_LENGTH).split(" ") : value;
  if (!Array.isArray(list)) return undefined;
  const scopes = list.filter(
    (scope): scope is string =>
      typeof scope === "string" && scope.length <= MAX_LENGTH && /^[!#-[\]-~]+$/.test(scope),
  );
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}

/** Values that determine the scopes of a sign-in. */
export interface ScopeSources {
  /** Scopes of the challenge. If missing, those in the resource metadata are used. */
  readonly challenged: readonly string[] | undefined;
  /** `scopes_supported` of the resource. */
  readonly resource: readonly string[] | undefined;
  /** Scopes of the previous sign-in, which the new token must keep. */
  readonly previous: readonly string[];
  /** Scopes that the application always requests. */
  readonly extra: readonly string[];
  /** `scopes_supported` of the authorization server. */
  readonly server: readonly string[];
  /** True to ask for a refresh token. */
  readonly wantsRefresh: boolean;
}

/** Selects the scopes to request. Returns an empty array to omit the parameter, which requests the default scopes. */
export function selectScopes(sources: ScopeSources): readonly string[] {
  const { challenged, resource = [], previous, extra, server, wantsRefresh } = sources;
  const scopes = new Set([...previous, ...(challenged ?? resource), ...extra]);
  // Alone, this scope would replace the default scopes.
  if (wantsRefresh && scopes.size > 0 && server.includes(OFFLINE_ACCESS)) scopes.add(OFFLINE_ACCESS);
  return [...scopes].slice(0, MAX_SCOPES);
}

/** Returns true if a request for these scopes asks for a refresh token. */
export function asksForRefresh(scopes: readonly string[]): boolean {
  return scopes.includes(OFFLINE_ACCESS);
}
