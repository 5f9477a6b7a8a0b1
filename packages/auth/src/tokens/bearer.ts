/**
 * @fileoverview Parses the `Authorization` header, which must contain one bearer token (RFC 6750).
 * @module auth/tokens/bearer
 */

/** Maximum header length in characters. */
const MAX_HEADER = 16_384;

/** Returns the token, or `undefined` if the header is missing, malformed, too long, or uses a different scheme. */
export function readBearer(header: string | null | undefined): string | undefined {
  if (header === undefined || header === null || header.length > MAX_HEADER) return undefined;
  // Scheme names are case-insensitive (RFC 9110). Repeated headers arrive joined by a comma, which no token contains.
  return /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header)?.[1];
}
