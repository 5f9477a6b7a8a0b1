/**
 * @fileoverview CORS headers for allowed origins. Disabled unless `corsOrigins` is set.
 * @module tenon/transport/http/cors
 */
import { type HttpHeaders, NO_HEADERS } from "./http-context.js";

const ALLOWED_HEADERS =
  "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, " +
  "idempotency-key";

/** Headers for documents that any page may read. */
export const PUBLIC_HEADERS: HttpHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "*",
};

/** Returns the headers that let a page read the response, or none if its origin is not allowed. */
export function corsHeaders(
  origin: string | null | undefined,
  allowed: ReadonlySet<string> | "*" | undefined,
): HttpHeaders {
  if (origin === undefined || origin === null || allowed === undefined) return NO_HEADERS;
  if (allowed !== "*" && !allowed.has(origin)) return NO_HEADERS;
  return {
    "access-control-allow-origin": allowed === "*" ? "*" : origin,
    "access-control-expose-headers": "mcp-session-id, www-authenticate",
    ...(allowed === "*" ? {} : { vary: "Origin" }),
  };
}

/** Returns the headers for a preflight response. `Mcp-Param-*` headers must be listed individually. */
export function preflightHeaders(cors: HttpHeaders, requested: string | null | undefined): HttpHeaders {
  const params = (requested ?? "").toLowerCase().match(/\bmcp-param-[!#$%&'*+.^_`|~0-9a-z-]+/g) ?? [];
  return {
    ...cors,
    "access-control-allow-methods": "POST, GET, DELETE",
    "access-control-allow-headers": [ALLOWED_HEADERS, ...params].join(", "),
    "access-control-max-age": "86400",
  };
}
