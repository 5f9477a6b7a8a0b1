/**
 * @fileoverview Scopes: the syntax of RFC 6749, and how they are read from a token's claims.
 * @module auth/scopes
 */

/** Most scopes that are read from one token, and the longest. */
const MAX_SCOPES = 256;
const MAX_LENGTH = 256;

/** Whether text is one scope: visible ASCII without quotation mark and backslash. */
export function isScope(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_LENGTH && /^[!#-[\]-~]+$/.test(value);
}

/** The scopes of a text that separates them by single spaces; nothing where it is malformed. */
export function splitScopes(text: string): readonly string[] | undefined {
  if (text === "") return [];
  if (text.length > MAX_SCOPES * (MAX_LENGTH + 1)) return undefined;
  return checkScopes(text.split(" "));
}

/**
 * The scopes of a token: `scp` as a list or a text, otherwise `scope` as a text. None where neither is there, and
 * nothing where they are malformed.
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
