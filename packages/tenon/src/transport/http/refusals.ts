/**
 * @fileoverview Rejects HTTP requests with a status and a JSON-RPC error.
 * @module tenon/transport/http/refusals
 */
import { describeHeaderCount } from "@tenon/internal/security/header-count";
import { newErrorResponse } from "../../core/wire/response.js";
import type { ReachedLimit } from "../../session/sessions.js";
import { CLOSE_HEADERS, type HttpContext } from "./http-context.js";
import type { ResolvedHttpOptions } from "./options.js";

/** Rejects a request with a status and a reason. */
export function refuse(context: HttpContext<unknown>, status: number, reason: string): void {
  context.reply(status, newErrorResponse(null, "INVALID_REQUEST", reason));
}

/** Rejects a request whose credentials have been revoked. */
export function refuseRevoked(context: HttpContext<unknown>): void {
  const reason = "The credentials have been revoked. Authenticate again.";
  context.with(REVOKED_HEADERS).reply(401, newErrorResponse(null, "UNAUTHORIZED", reason));
}

/** Rejects a request that would start work while the server is shutting down. */
export function refuseStopping(context: HttpContext<unknown>): void {
  const reason = "The server is shutting down. Try again later.";
  context.with(RETRY_HEADERS).replyLast(503, newErrorResponse(null, "INVALID_REQUEST", reason));
}

/** Rejects a request whose last headers the runtime has dropped. */
export function refuseHeaderCount(context: HttpContext<unknown>, limit: number): void {
  refuse(context, 431, describeHeaderCount(limit));
}

/** Rejects a request because a session limit is reached. */
export function refuseSession(context: HttpContext<unknown>, { option, limit }: ReachedLimit): void {
  const scope = option === "maxSessions" ? "Session limit" : "Session limit per caller";
  const reason = `${scope} reached (${limit}). Raise \`${option}\` or close idle sessions.`;
  refuse(context.with({ "retry-after": "10" }), 503, reason);
}

/** Rejects a request because the store of the sessions failed, or because it is full. */
export function refuseStore(context: HttpContext<unknown>, isFull: boolean): void {
  const reason = isFull ? STORE_FULL : STORE_FAILED;
  context
    .with({ "retry-after": isFull ? "10" : "1" })
    .reply(503, newErrorResponse(null, "SERVICE_UNAVAILABLE", reason));
}

/** Error message for a client whose session cannot be read or changed now. */
export const STORE_FAILED = "The session store does not respond. Try again later.";

/** Error message for a client whose session cannot be stored, because the store is full. */
const STORE_FULL = "The session store is full. Try again later.";

/** Rejects a request because of its body: `undefined` if it is too long, `null` if it was dropped to free memory. */
export function refuseBody(
  context: HttpContext<unknown>,
  body: undefined | null,
  { limits, maxRequestBytes }: Pick<ResolvedHttpOptions<unknown>, "limits" | "maxRequestBytes">,
): void {
  if (body === null) {
    const reason = `Too much request data in flight (limit: ${maxRequestBytes} bytes). Try again later.`;
    return refuse(context.with(BUSY_HEADERS), 503, reason);
  }
  // The rest of the body is not read, so the connection cannot be reused.
  return refuse(
    context.with(CLOSE_HEADERS),
    413,
    `The message is too large (limit: ${limits.maxBytes} bytes).`,
  );
}

const REVOKED_HEADERS = { "www-authenticate": 'Bearer error="invalid_token"' };
const RETRY_HEADERS = { "retry-after": "1" };
const BUSY_HEADERS = { ...RETRY_HEADERS, ...CLOSE_HEADERS };
