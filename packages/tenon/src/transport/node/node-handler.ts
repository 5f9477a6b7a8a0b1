/**
 * @fileoverview `node:http` adapter for the HTTP pipeline. It avoids `Request` and `Response` objects, writes headers
 * unchanged, and sends each reply in one write.
 * @module transport/node/node-handler
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { isBatch, type Reply, replyText } from "../../core/wire/receive.js";
import type { ServerLike, ToolMap } from "../../core/wire/hosted-server.js";
import { createDefaultLog, printToConsole } from "../default-log.js";
import type { ContextSource } from "../http/authorization.js";
import { assertHttpOptions } from "../http/check-options.js";
import type { HttpOptions } from "../http/options.js";
import { HttpPipeline } from "../http/pipeline.js";
import { type ServerSource, toSource, startSource } from "../http/server-source.js";
import type { OptionsFor } from "../options-for.js";
import { warnOfOpenScopes } from "../start-line.js";
import { BodyCollector } from "../http/limits/body-collector.js";
import { onSocketClose } from "../http/limits/socket-close.js";
import { SSE_HEADERS } from "../http/sse.js";
import { SseWriter } from "../http/sse-writer.js";
import { byteFunctions } from "../node-buffer.js";
import {
  type HttpBody,
  type HttpHeaders,
  HttpContext,
  NO_HEADERS,
  type SseSink,
} from "../http/http-context.js";
import { decodeBody, decodeBytes } from "./decode-body.js";
import type { DirectRequest } from "./direct-request.js";
import { ResponseWriter, SLICE_BYTES } from "./response-writer.js";

/** Request handler for `node:http`, Connect, and Express. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Rejects new requests. Resolves when the requests in flight have finished, or after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Creates a request handler for `node:http`.
 *
 * @param server a server that all sessions share, or a source that opens a server for each session
 * @example createServer(toNodeHandler(server)).listen(3000, "127.0.0.1")
 * @throws if an option is unknown or invalid
 */
export function toNodeHandler<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools> | ServerSource<Context>,
  ...rest: OptionsFor<NoInfer<Context>, HttpOptions<NoInfer<Context>>, ContextSource<NoInfer<Context>>>
): NodeHandler {
  const options: HttpOptions<Context> = rest[0] ?? {};
  assertHttpOptions(options, "toNodeHandler");
  const source = startSource(toSource(server), createDefaultLog(printToConsole));
  warnOfOpenScopes(source, options, printToConsole);
  return createNodeHandler(source, options);
}

/** Request handler whose requests and sessions can be counted. */
export interface CountedHandler extends NodeHandler {
  /** Number of requests in progress, without open streams. */
  readonly inFlight: number;
  /** Number of sessions that this process has in memory. */
  readonly openSessions: number;
}

/** Creates a request handler from options that have been checked. */
export function createNodeHandler<Context>(
  source: ServerSource<Context>,
  options: HttpOptions<Context>,
): CountedHandler {
  const pipeline = new HttpPipeline<Context>(source, options);
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    if (response.socket === null && !pipeline.pipelining.admit(request.socket, response)) return;
    pipeline.take(new NodeHttpContext(request, response, pipeline));
  };
  const close = (graceMs = 10_000) => pipeline.drain(graceMs);
  return Object.defineProperties(Object.assign(handler, { close, inFlight: 0, openSessions: 0 }), {
    inFlight: { get: () => pipeline.inFlight },
    openSessions: { get: () => pipeline.openSessions },
  });
}

class NodeHttpContext<Context> extends HttpContext<Context> {
  readonly method: string;
  readonly url: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly version: string | undefined;
  readonly sessionId: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #fields: IncomingHttpHeaders;
  readonly #endpoint: HttpPipeline<Context>;
  #controller: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, endpoint: HttpPipeline<Context>) {
    super(endpoint.anyone);
    this.method = request.method ?? "GET";
    // Safe: mounted Express and Connect apps keep the full path in `originalUrl`.
    this.url = (request as { readonly originalUrl?: string }).originalUrl ?? request.url ?? "/";
    this.#request = request;
    this.#response = response;
    const { headers } = request;
    this.#fields = headers;
    // Headers are read by literal name, because a lookup with a variable costs five times as much.
    this.host = hostOf(request);
    this.origin = headers.origin;
    this.contentType = headers["content-type"];
    this.accept = headers.accept;
    this.version = single(headers["mcp-protocol-version"]);
    this.sessionId = single(headers["mcp-session-id"]);
    this.#endpoint = endpoint;
  }

  override header(name: string): string | undefined {
    if (name === "host") return this.host;
    // Repeated headers are joined, which makes the token invalid. Node silently keeps only the first header, but a
    // proxy could have checked a different one.
    if (name === "authorization") return this.#request.headersDistinct[name]?.join(", ");
    return single(this.#fields[name]);
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const response = this.#response;
      this.#controller = controller;
      const onClose = () => {
        forget?.();
        if (!response.writableFinished) controller.abort(new Error("The client disconnected."));
      };
      // A pipelined response gets its socket after earlier responses are complete, and no close event until then.
      const forget = response.socket === null ? onSocketClose(this.#request.socket, onClose) : undefined;
      if (this.isGone) onClose();
      else response.once("close", onClose);
    }
    return this.#controller.signal;
  }

  /** Reads the body. Never calls `onBody` if the client disconnects before the body is complete. */
  override readBody(limit: number, onBody: (context: this, body: HttpBody) => void): void {
    const request: IncomingMessage & { readonly body?: unknown } = this.#request;
    // A body parser has already consumed the stream.
    if (request.body !== undefined && request.readableEnded) {
      return onBody(this, toBytes(request.body, limit));
    }
    const length = Number(this.#fields["content-length"] ?? 0);
    if (length > limit) return onBody(this, undefined);
    let whole: Uint8Array | undefined;
    let pieces: BodyCollector | undefined;
    let isOpen = true;
    const finish = (body: HttpBody): void => {
      isOpen = false;
      onBody(this, body);
    };
    const take = (chunk: Uint8Array | null): void => {
      // Chunks after a rejection are ignored until the connection closes.
      if (!isOpen) return;
      if (chunk === null) finish(whole === undefined ? decodeBody(pieces?.take() ?? []) : decodeBytes(whole));
      else if (pieces === undefined && chunk.length === length) whole = chunk;
      else {
        pieces ??= this.#collect(limit, () => finish(null));
        if (pieces.add(chunk)) return;
        pieces.discard();
        finish(undefined);
      }
    };
    if (isDirect(request) && request.takeBody(take)) return undefined;
    request.on("data", take);
    request.on("end", () => take(null));
    return undefined;
  }

  override beginCall(): void {
    this.#endpoint.pipelining.begin(this.#request.socket);
  }

  override endCall(): void {
    this.#endpoint.pipelining.end(this.#request.socket);
  }

  override reply(status: number, reply: Reply): void {
    const halves = isBatch(reply) ? undefined : reply.halves();
    if (halves === undefined) return this.json(status, replyText(reply));
    const response = this.#response;
    if (response.headersSent) return undefined;
    const { head, tail } = halves;
    response.writeHead(status, jsonHeaders(byteFunctions().byteLength(head) + tail.length, this.headers));
    response.write(head);
    if (tail.length > SLICE_BYTES) return this.#sendLarge(wrapShared(tail));
    response.end(wrapShared(tail));
    this.#watchUnread();
    return undefined;
  }

  override json(status: number, text: string): void {
    const response = this.#response;
    if (response.headersSent) return;
    response.writeHead(status, jsonHeaders(byteFunctions().byteLength(text), this.headers));
    if (text.length > SLICE_BYTES) {
      this.#sendLarge(text);
      return;
    }
    endWith(response, text);
    this.#watchUnread();
  }

  override empty(status: number): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(status, { ...this.headers, "content-length": 0 });
    this.#response.end();
  }

  override stream(): SseSink {
    this.#response.writeHead(200, { ...this.headers, ...SSE_HEADERS });
    this.#response.flushHeaders();
    const { responses, options } = this.#endpoint;
    return new SseWriter(new ResponseWriter(this.#response, responses), options.maxQueueBytes);
  }

  override abandon(): void {
    this.#response.destroy();
  }

  #sendLarge(content: string | Uint8Array): void {
    const writer = new ResponseWriter(this.#response, this.#endpoint.responses);
    void writer.write(content);
    writer.end();
  }

  /** Watches a response that the operating system has not accepted in full, which is rare. */
  #watchUnread(): void {
    const response = this.#response;
    if (response.writableLength > 0) new ResponseWriter(response, this.#endpoint.responses).watch();
  }

  #collect(limit: number, onDrop: () => void): BodyCollector {
    const { requests: budget } = this.#endpoint;
    const pieces = new BodyCollector({ limit, budget, onDrop });
    this.#response.once("close", () => pieces.discard());
    return pieces;
  }
}

/**
 * Sends a body and ends the response. `end(text)` makes two writes, the text and an empty chunk, which Node gathers
 * into a list. Writing the text first results in one plain write without allocations, which saves a fifteenth of the
 * cost of a call.
 */
function endWith(response: ServerResponse, text: string): void {
  const { socket } = response;
  // A pipelined response gets its socket only after earlier responses are complete.
  if (socket === null) {
    response.end(text);
    return;
  }
  // Node would cork the socket until the next tick, unless the caller has already corked it.
  socket.cork();
  response.write(text);
  socket.uncork();
  response.end();
}

/**
 * Returns true for a `DirectRequest`, recognized by its shape. Importing the class would load `node:http`, which a
 * stdio server does not use.
 */
function isDirect(request: IncomingMessage): request is DirectRequest {
  return "takeBody" in request;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/**
 * Returns the host of a request. `node:http` drops all Host headers except the first, and ignores the host of an
 * absolute target. If they disagree, the result lists all of them and matches no allowed host.
 */
function hostOf({ rawHeaders, url = "/" }: IncomingMessage): string | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") host = joinHosts(host, rawHeaders[at + 1] ?? "");
  }
  if (url.startsWith("/")) return host;
  return joinHosts(host, /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "");
}

function joinHosts(host: string | undefined, other: string): string {
  return host === undefined || host === other ? other : `${host}, ${other}`;
}

const wrapped = new WeakMap<Uint8Array, Uint8Array>();

/** Wraps bytes that many replies share, and caches the result. Node would wrap the bytes again for each reply. */
function wrapShared(shared: Uint8Array): Uint8Array {
  const known = wrapped.get(shared);
  if (known !== undefined) return known;
  const view = byteFunctions().wrap(shared);
  wrapped.set(shared, view);
  return view;
}

function jsonHeaders(length: number, headers: HttpHeaders): OutgoingHttpHeaders {
  return headers === NO_HEADERS
    ? { "content-type": "application/json", "content-length": length }
    : { ...headers, "content-type": "application/json", "content-length": length };
}

/** Converts a body left by a body parser back to bytes. Returns `undefined` if it is longer than `limit`. */
function toBytes(body: unknown, limit: number): Uint8Array | undefined {
  const encoded =
    body instanceof Uint8Array
      ? body
      : byteFunctions().encode(typeof body === "string" ? body : JSON.stringify(body));
  return encoded.length > limit ? undefined : encoded;
}
