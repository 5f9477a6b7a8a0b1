/**
 * @fileoverview JSON responses for lists and refusals, in the format of the other building blocks.
 * @module kit/files/answers
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorRow, type HttpErrorLabel, McpError } from "tenon/protocol";

/** Refusal bodies. The error's own message is not sent, because it may reveal internals. */
const REFUSALS = {
  401: { error: "Authentication required", code: "AUTHENTICATION_REQUIRED" },
  403: { error: "Forbidden", code: "FORBIDDEN" },
  404: { error: "Not found", code: "NOT_FOUND" },
  405: { error: "Method not allowed", code: "INVALID_REQUEST" },
  410: { error: "Gone", code: "NOT_FOUND" },
  412: { error: "Precondition failed", code: "INVALID_REQUEST" },
  416: { error: "Range not satisfiable", code: "INVALID_REQUEST" },
  429: { error: "Too many requests", code: "RATE_LIMITED" },
  500: { error: "Internal error", code: "SERVICE_ERROR" },
  503: { error: "Service unavailable", code: "SERVICE_ERROR" },
} as const satisfies Record<number, { readonly error: string; readonly code: HttpErrorLabel }>;

/** HTTP status of a refusal. */
export type RefusalStatus = keyof typeof REFUSALS;

/** Statuses that a metadata function may set by throwing. */
const THROWABLE: readonly number[] = [401, 403, 404, 410, 429, 503];

/** Refuses a request. */
export function refuse(
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  status: RefusalStatus,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  const challenge = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
  const value = { type: "error", ...REFUSALS[status] };
  answerJson(exchange, { status, value, headers: { ...challenge, ...headers } });
}

/** Sends JSON that caches must not store. A HEAD request gets the headers only. */
export function answerJson(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  answer: {
    readonly status: number;
    readonly value: object;
    readonly headers?: Readonly<Record<string, string | number>>;
  },
): void {
  const { status, value, headers = {} } = answer;
  const body = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Returns the status of a thrown error, from `status`, `statusCode` or the error table, or `undefined`. */
export function refusalOf(error: unknown): RefusalStatus | undefined {
  const status = statusOf(error);
  return isThrowable(status) ? status : undefined;
}

function statusOf(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return undefined;
  if ("status" in error) return error.status;
  if ("statusCode" in error) return error.statusCode;
  return error instanceof McpError ? errorRow(error.code).http : undefined;
}

function isThrowable(status: unknown): status is RefusalStatus {
  return typeof status === "number" && THROWABLE.includes(status);
}
