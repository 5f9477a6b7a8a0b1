/**
 * @fileoverview Responses of the page, with the headers that keep hostile content inert, and bodies of its requests.
 * @module cli/page/serve/respond
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { CommandFailure } from "../protocol.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { parseFrame } from "tenon/protocol";
import { CommandError } from "../command-error.js";

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
  "require-trusted-types-for 'script'",
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
  send(response, { status, headers: JSON_TYPE, body: JSON.stringify(value) });
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/** Sends the failure of a command. */
export function sendFailure(
  response: ServerResponse,
  status: number,
  { error, headers = {} }: CommandFailure & { readonly headers?: OutgoingHttpHeaders },
): void {
  const failure: CommandFailure = { error };
  send(response, { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(failure) });
}

/** Sends a short text for people. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` });
}

/** Reads a JSON object. @throws {CommandError} if the body is too large or not a JSON object */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  const parsed = parseFrame(await readBytes(request, maxBytes), { ...LIMITS, maxBytes });
  // The parser calls its input "the message".
  if (!parsed.ok) throw new CommandError(400, parsed.reason.replace(/^The message/, "The body"));
  if (isJsonObject(parsed.value)) return parsed.value;
  throw new CommandError(400, `The body must be a JSON object; got ${kindOf(parsed.value)}.`);
}

const LIMITS = { maxDepth: 128, maxValues: 2_000_000, maxBatch: 1 };

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      // The rest is read and dropped, so that the browser gets the response.
      chunks.length = 0;
      reject(new CommandError(413, `The body is too large (limit: ${maxBytes} bytes).`));
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new CommandError(400, "The request was interrupted.")));
  });
}
