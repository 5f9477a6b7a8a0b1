/**
 * @fileoverview Refusals on the level of HTTP, each with a message that a JSON-RPC client can show.
 * @module transport/http/refusals
 */
import { newErrorResponse } from "../../core/wire/response.js";
import type { HttpContext } from "./http-context.js";

/** Refuses a request with a status and a reason. */
export function refuse(context: HttpContext<unknown>, status: number, reason: string): void {
  context.reply(status, newErrorResponse(null, "INVALID_REQUEST", reason));
}

/** Refuses a request that would start work on a server that is stopping. */
export function refuseStopping(context: HttpContext<unknown>): void {
  refuse(context.with(BUSY_HEADERS), 503, "The server is stopping");
}

/** Refuses a request that needs a session where no more sessions can be opened. */
export function refuseSession(context: HttpContext<unknown>): void {
  refuse(context.with({ "retry-after": "10" }), 503, "Too many sessions");
}

/** Refuses a request by its body: `undefined` if it is too long, `null` if others needed the memory that it took. */
export function refuseBody(context: HttpContext<unknown>, body: undefined | null, maxBytes: number): void {
  if (body === null) {
    const reason = "Too many request bodies are arriving at once; try again later";
    return refuse(context.with(BUSY_HEADERS), 503, reason);
  }
  // The rest of the body is not read, so the connection cannot be used again.
  return refuse(context.with({ connection: "close" }), 413, `message exceeds ${maxBytes} bytes`);
}

const BUSY_HEADERS = { "retry-after": "1", connection: "close" };
