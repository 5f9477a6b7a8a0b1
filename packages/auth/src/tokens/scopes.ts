/**
 * @fileoverview Parses scopes (RFC 6749), as text or from a token's claims.
 * @module auth/tokens/scopes
 */

/** Maximum number of scopes in one token, and maximum scope length in characters. */
const MAX_SCOPES = 256;
const MAX_LENGTH = 256;

/** Returns true if a value is a scope: visible ASCII without `"` or `\`. */
export function isScope(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_LENGTH && /^[!#-[\]-~]+$/.test(value);
}

/** Splits scopes at single spaces. Returns `undefined` if the text is malformed. */
export function splitScopes(text: string): readonly string[] | undefined {
  if (text === "") return [];
  if (text.length > MAX_SCOPES * (MAX_LENGTH + 1)) return undefined;
  return checkScopes(text.split(" "));
}

/**
 * Reads a token's scopes: `scp` as an array or string, otherwise `scope` as a string. Returns an empty array if both
 * are missing, and `undefined` if the value is malformed.
 */
export function readScopes(scp: unknown, scope: unknown): readonly string[] | undefined {
  const given = scp ?? scope ?? "";
  if (typeof given === "string") return splitScopes(given);
  return given === scp && Array.isArray(given) ? checkScopes(given) : undefined;
}

function checkScopes(list: readonly unknown[]): readonly string[] | undefined {
  if (list.length > MAX_SCOPES || !list.every(isScope)) return undefined;
  return [...new Set(list)];
}
