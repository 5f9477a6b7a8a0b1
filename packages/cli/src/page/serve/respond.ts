/**
 * @fileoverview Responses of the page, with the headers that keep hostile content inert.
 * @module cli/page/serve/respond
 */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { CommandFailure } from "../protocol.js";

/** Content security policy: the page loads its own files only, and runs no inline code. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Headers of every response. */
export const PAGE_HEADERS: OutgoingHttpHeaders = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Response to send. */
export interface PageResponse {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

/** Sends a response. The body is left out for a HEAD request. */
export function send(response: ServerResponse, { status, headers = {}, body = "" }: PageResponse): void {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  response.writeHead(status, {
    "cache-control": "no-store",
    ...PAGE_HEADERS,
    ...(status === 304 ? {} : { "content-length": bytes.length }),
    ...headers,
  });
  response.end(response.req.method === "HEAD" ? undefined : bytes);
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const headers = { "content-type": "application/json; charset=utf-8" };
  send(response, { status, headers, body: JSON.stringify(value) });
}

/** Sends the failure of a command. */
export function sendFailure(
  response: ServerResponse,
  status: number,
  { error, headers = {} }: CommandFailure & { readonly headers?: OutgoingHttpHeaders },
): void {
  const failure: CommandFailure = { error };
  send(response, {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(failure),
  });
}

/** Sends a short text for people. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` });
}
