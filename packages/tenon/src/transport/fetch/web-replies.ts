/**
 * @fileoverview Sends responses as web `Response` objects.
 * @module tenon/transport/fetch/web-replies
 */
import { type HttpHeaders, NO_HEADERS, type SseSink } from "../http/http-context.js";
import { onSocketClose } from "../http/limits/socket-close.js";
import type { ClientSocket } from "../http/limits/pipelining.js";
import type { HttpPipeline } from "../http/pipeline.js";
import { SSE_HEADERS } from "../http/sse.js";
import { SseWriter } from "../http/sse-writer.js";
import { WebBody } from "./web-body.js";

/** Request that receives a `Response`. */
export interface WebExchange {
  readonly headers: HttpHeaders;
  readonly endpoint: Pick<HttpPipeline<unknown>, "responses" | "options">;
  /** Aborts when the client disconnects. Created on first use. */
  readonly gone: AbortController;
  /** True if a bridge from Node reads the response. */
  readonly isBridged: boolean;
  /** Passes the response to the runtime. */
  respond(response: Response): void;
}

/**
 * Maximum length of a response that is passed to the runtime as one string. Longer responses are streamed at the
 * client's pace.
 */
const WHOLE_LENGTH = 65_536;

/** Sends a JSON text. */
export function sendJson(exchange: WebExchange, status: number, text: string): void {
  // Always a new object, because version 1 of `@hono/node-server` adds the length of the response to it.
  const headers =
    exchange.headers === NO_HEADERS
      ? { "content-type": "application/json" }
      : { ...exchange.headers, "content-type": "application/json" };
  const body = text.length > WHOLE_LENGTH ? streamText(exchange, text) : text;
  exchange.respond(new Response(body, { status, headers }));
}

/** Sends a response without a body. */
export function sendEmpty(exchange: WebExchange, status: number): void {
  exchange.respond(new Response(null, { status, headers: { ...exchange.headers } }));
}

/** Sends an event stream. */
export function sendStream(exchange: WebExchange): SseSink {
  const { endpoint, gone, headers, isBridged } = exchange;
  const body = new WebBody(gone, endpoint.responses, isBridged);
  exchange.respond(new Response(body.stream, { status: 200, headers: { ...headers, ...SSE_HEADERS } }));
  return new SseWriter(body, endpoint.options.maxQueueBytes);
}

/** Response to a client that has disconnected. Runtimes need one. */
export function createAbandonedResponse(): Response {
  return new Response(null, { status: 499 });
}

/** Subset of Node's `ServerResponse` that is used here. */
export interface QueuedResponse {
  /** `null` until the earlier responses on the connection are complete. */
  readonly socket: unknown;
  once(event: "close" | "socket", listener: () => void): unknown;
}

/**
 * Calls `release` when the earlier responses on a connection are complete. The runtime would pass the response to Node,
 * which would then stop reading from the connection.
 */
export function afterEarlierResponses(
  outgoing: QueuedResponse,
  socket: ClientSocket,
  release: () => void,
): void {
  const run = () => {
    forget();
    release();
  };
  const forget = onSocketClose(socket, run);
  outgoing.once("socket", run);
}

function streamText({ endpoint, gone, isBridged }: WebExchange, text: string): ReadableStream<Uint8Array> {
  const body = new WebBody(gone, endpoint.responses, isBridged);
  void body.write(text);
  body.end();
  return body.stream;
}
