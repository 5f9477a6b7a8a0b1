/**
 * @fileoverview Routes requests to the endpoint, the probes `/healthz` and `/readyz`, and `/metrics`. These paths do
 * not check the Host header, because orchestrators send the address of the process. Their responses contain no more
 * than counts and times.
 * @module tenon/transport/node/health/routes
 */
import type { RequestListener, ServerResponse } from "node:http";
import { byteFunctions } from "../../node-buffer.js";
import { METRICS_TYPE } from "./metrics-text.js";

/** Paths and their handlers. */
export interface Routes {
  /** Path that a client should use, named in the response for other paths. */
  readonly endpoint: string;
  /** Paths that `handler` serves. They take precedence over the probes. */
  readonly paths: ReadonlySet<string>;
  readonly handler: RequestListener;
  /** Resolves with true if the server is ready. */
  readonly isReady: () => Promise<boolean>;
  /** Returns the metrics as text. Without it, `/metrics` does not exist. */
  readonly readMetrics: (() => Promise<string>) | undefined;
}

/** Creates a request handler that serves the routes. */
export function createRoute({ endpoint, paths, handler, isReady, readMetrics }: Routes): RequestListener {
  const notFound = JSON.stringify({ error: "not found", message: `The MCP endpoint is ${endpoint}.` });
  const serveProbe: RequestListener = (request, response) => {
    const [pathname = "/"] = (request.url ?? "/").split("?", 1);
    const path = request.method === "GET" || request.method === "HEAD" ? pathname : undefined;
    if (path === "/healthz") sendJson(response, 200, OK);
    else if (path === "/readyz") void sendReadiness(response, isReady);
    else if (path === "/metrics" && readMetrics !== undefined) void sendMetrics(response, readMetrics);
    else sendJson(response, 404, notFound);
  };
  return (request, response) => {
    const { url = "/" } = request;
    const isEndpoint = paths.has(url) || paths.has(url.split("?", 1)[0] ?? "/");
    if (isEndpoint) handler(request, response);
    else serveProbe(request, response);
  };
}

const OK = '{"status":"ok"}';
const UNAVAILABLE = '{"status":"unavailable"}';

async function sendReadiness(response: ServerResponse, isReady: () => Promise<boolean>): Promise<void> {
  const ready = await isReady().catch(() => false);
  sendJson(response, ready ? 200 : 503, ready ? OK : UNAVAILABLE);
}

async function sendMetrics(response: ServerResponse, readMetrics: () => Promise<string>): Promise<void> {
  try {
    send(response, 200, { type: METRICS_TYPE, body: await readMetrics() });
  } catch {
    sendJson(response, 503, UNAVAILABLE);
  }
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  send(response, status, { type: "application/json", body });
}

function send(
  response: ServerResponse,
  status: number,
  { type, body }: { type: string; body: string },
): void {
  response.writeHead(status, {
    ...(status === 503 ? { "retry-after": "1" } : {}),
    "content-type": type,
    "content-length": byteFunctions().byteLength(body),
  });
  response.end(body);
}
