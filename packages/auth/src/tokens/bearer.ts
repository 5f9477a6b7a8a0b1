/**
 * @fileoverview The Authorization header: one token of the Bearer scheme (RFC 6750), or nothing.
 * @module auth/bearer
 */

/** The longest header that is looked at. */
const MAX_HEADER = 16_384;

/** The token in an Authorization header; nothing where the header is absent, malformed or of another scheme. */
export function readBearer(header: string | null | undefined): string | undefined {
  if (header === undefined || header === null || header.length > MAX_HEADER) return undefined;
  // The name of a scheme has no case (RFC 9110). Two headers come joined by a comma, which no token has.
  return /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header)?.[1];
}
