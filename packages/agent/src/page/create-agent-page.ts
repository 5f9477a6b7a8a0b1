/**
 * @fileoverview Request listener of the page. It serves a fixed list of files, with headers that keep hostile content
 * inert.
 * @module agent/page/create-agent-page
 */
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import { LOOPBACK_HOSTS, isLoopbackHost } from "@tenon/internal/security/loopback";
import { checkHeaderCount, describeHeaderCount } from "@tenon/internal/security/header-count";
import { readHostName, toHostSet } from "@tenon/internal/security/origin";
import { type AgentPageOptions, toPageConfig } from "./options.js";
import { type PageFile, readPageFiles } from "./page-files.js";

/**
 * Creates the request listener of the page, for the option `http` of `AgentServer.start`. The page connects to the
 * WebSocket of the same host and port.
 *
 * @throws if an option is invalid, or the files of the page are missing
 */
export function createAgentPage(options: AgentPageOptions = {}): RequestListener {
  const files = readPageFiles(toPageConfig(options));
  const hosts = toPageHosts(options.allowedOrigins);
  return (request, response) => {
    const { host = "" } = request.headers;
    const outcome = checkRequest(request, { files, hosts });
    const headers = toHeaders(outcome.ok ? host : undefined);
    if (outcome.ok) sendFile(request, response, { file: outcome.file, headers });
    else sendText(response, outcome, headers);
  };
}

interface Page {
  readonly files: ReadonlyMap<string, PageFile>;
  readonly hosts: ReadonlySet<string> | undefined;
}

type RequestCheck =
  | { readonly ok: true; readonly file: PageFile }
  | { readonly ok: false; readonly status: 403 | 404 | 405 | 431; readonly reason: string };

/** Decides about a request by its headers, its path, and its method. */
function checkRequest(request: IncomingMessage, { files, hosts }: Page): RequestCheck {
  const count = checkHeaderCount(request);
  if (!count.ok) return { ok: false, status: 431, reason: describeHeaderCount(count.limit) };
  // With DNS rebinding, a page of a different site can reach this port, but its requests carry that site's host name.
  const name = readHostName(request.headers.host ?? "");
  const isOwn = name !== undefined && (hosts === undefined ? isLoopbackHost(name) : hosts.has(name));
  if (!isOwn) return { ok: false, status: 403, reason: OTHER_HOST };
  const file = files.get((request.url ?? "").split("?", 1)[0] ?? "");
  if (file === undefined) return { ok: false, status: 404, reason: "Not found." };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { ok: false, status: 405, reason: "The method must be GET or HEAD." };
  return { ok: true, file };
}

const OTHER_HOST =
  "This page is not available under this host name. Use http://localhost or http://127.0.0.1 with the port of the " +
  "server, or add the origin of the page to `allowedOrigins`.";

/** Returns the host names of the page. `undefined` stands for all loopback names. */
function toPageHosts(origins: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return origins && toHostSet([...LOOPBACK_HOSTS, ...origins.map((origin) => new URL(origin).hostname)]);
}

/** Returns the headers of a response. The page may connect only to the WebSocket of its own host. */
function toHeaders(host: string | undefined): OutgoingHttpHeaders {
  const sockets = host === undefined ? "" : ` ws://${host} wss://${host}`;
  return {
    "cache-control": "no-store",
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "media-src data: blob:",
      `connect-src 'self'${sockets}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}

interface FileResponse {
  readonly file: PageFile;
  readonly headers: OutgoingHttpHeaders;
}

function sendFile(request: IncomingMessage, response: ServerResponse, { file, headers }: FileResponse): void {
  const { type, etag, bytes } = file;
  // Browsers ask each time, and load a file again only if it has changed.
  const shared = { ...headers, etag, "cache-control": "no-cache" };
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, shared).end();
    return;
  }
  response.writeHead(200, { ...shared, "content-type": type, "content-length": bytes.byteLength });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

function sendText(
  response: ServerResponse,
  { status, reason }: RequestCheck & { readonly ok: false },
  headers: OutgoingHttpHeaders,
): void {
  const body = new TextEncoder().encode(`${reason}\n`);
  response.writeHead(status, {
    ...headers,
    "content-type": "text/plain; charset=utf-8",
    "content-length": body.byteLength,
    ...(status === 405 && { allow: "GET, HEAD" }),
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
