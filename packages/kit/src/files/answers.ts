/**
 * @fileoverview JSON responses for file lists and rejected requests.
 * @module kit/files/answers
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ERRORS, type HttpErrorLabel, McpError } from "tenon/protocol";

/** Bodies for rejected requests. A thrown error's message is never sent, because it may reveal internals. */
const REFUSALS = {
  401: { error: "Authentication is required.", code: "AUTHENTICATION_REQUIRED" },
  403: { error: "Permission denied.", code: "FORBIDDEN" },
  404: { error: "The requested file was not found.", code: "NOT_FOUND" },
  405: { error: "Method not allowed. Use GET or HEAD.", code: "INVALID_REQUEST" },
  410: { error: "The requested file is no longer available.", code: "NOT_FOUND" },
  412: { error: "The file does not meet the conditions in the request headers.", code: "INVALID_REQUEST" },
  416: { error: "The requested range is outside the file.", code: "INVALID_REQUEST" },
  429: { error: "Too many requests. Try again later.", code: "RATE_LIMITED" },
  500: { error: "An unexpected error occurred.", code: "SERVICE_ERROR" },
  503: { error: "The file is temporarily unavailable. Try again later.", code: "SERVICE_ERROR" },
} as const satisfies Record<number, { readonly error: string; readonly code: HttpErrorLabel }>;

/** HTTP status for a rejected request. */
export type RefusalStatus = keyof typeof REFUSALS;

/** Statuses that `getMetadata` and `getAllFiles` can set by throwing an error. */
const THROWABLE: readonly number[] = [401, 403, 404, 410, 429, 503];

/** Sends the error response for a status. */
export function refuse(
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  status: RefusalStatus,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  const challenge = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
  const value = { type: "error", ...REFUSALS[status] };
  answerJson(exchange, { status, value, headers: { ...challenge, ...headers } });
}

/** Sends JSON that caches must not store. HEAD requests get only the headers. */
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

/** Returns the status that a thrown error requests, or `undefined` if the error is unexpected. */
export function refusalOf(error: unknown): RefusalStatus | undefined {
  const status = statusOf(error);
  return isThrowable(status) ? status : undefined;
}

function statusOf(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return undefined;
  if ("status" in error) return error.status;
  if ("statusCode" in error) return error.statusCode;
  return error instanceof McpError ? ERRORS[error.code].http : undefined;
}

function isThrowable(status: unknown): status is RefusalStatus {
  return typeof status === "number" && THROWABLE.includes(status);
}
