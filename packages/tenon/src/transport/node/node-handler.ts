/**
 * @fileoverview `node:http` adapter for the HTTP pipeline. It avoids `Request` and `Response` objects, writes headers
 * unchanged, and sends each reply in one write.
 * @module transport/node/node-handler
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { checkHeaderCount } from "@tenon/internal/security/header-count";
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
import { refuseHeaderCount } from "../http/refusals.js";
import { SSE_HEADERS } from "../http/sse.js";
import { SseWriter } from "../http/sse-writer.js";
import { byteFunctions } from "../node-buffer.js";
import {
  type HttpBody,
  type HttpHeaders,
  CLOSE_HEADERS,
  HttpContext,
  NO_HEADERS,
  type SseSink,
} from "../http/http-context.js";
import { isLastRequest } from "./connection-state.js";
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
    const context = new NodeHttpContext(request, response, pipeline);
    const count = checkHeaderCount(request);
    if (count.ok) pipeline.take(context);
    else refuseHeaderCount(context, count.limit);
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
  /** True if the response is complete, but waits for earlier responses on its connection. */
  #isHeld = false;

  constructor(request: IncomingMessage, response: ServerResponse, endpoint: HttpPipeline<Context>) {
    super(endpoint.anyone);
    this.method = request.method ?? "GET";
    // Safe: mounted Express and Connect apps keep the full path in `originalUrl`.
    this.url = (request as { readonly originalUrl?: string }).originalUrl ?? request.url ?? "/";
    this.#request = request;
    this.#response = response;
    const { headers, rawHeaders } = request;
    this.#fields = headers;
    // Node keeps only the first of repeated Host and Content-Type headers. A proxy could have checked a different one.
    let host: string | undefined;
    let types = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? "";
      if (name.length === 4 && name.toLowerCase() === "host")
        host = joinHosts(host, rawHeaders[at + 1] ?? "");
      else if (name.length === 12 && name.toLowerCase() === "content-type") types++;
    }
    this.host = withTargetHost(host, request.url ?? "/");
    // Headers are read by literal name, because a lookup with a variable costs five times as much.
    this.origin = headers.origin;
    this.contentType =
      types > 1 ? request.headersDistinct["content-type"]?.join(", ") : headers["content-type"];
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
      if (!this.isGone) onBody(this, body);
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
    const response = this.#response;
    if (halves === undefined || response.socket === null) return this.json(status, replyText(reply));
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
    if (response.headersSent || this.#isHeld) return;
    const headers = jsonHeaders(byteFunctions().byteLength(text), this.headers);
    if (this.#mustWait()) {
      const writer = this.#hold(() => response.writeHead(status, headers));
      void writer.write(text);
      writer.end();
      return;
    }
    response.writeHead(status, headers);
    if (text.length > SLICE_BYTES) {
      this.#sendLarge(text);
      return;
    }
    endWith(response, text);
    this.#watchUnread();
  }

  override empty(status: number): void {
    const response = this.#response;
    if (response.headersSent || this.#isHeld) return;
    const headers = { ...this.headers, "content-length": 0 };
    if (this.#mustWait()) this.#hold(() => response.writeHead(status, headers)).end();
    else response.writeHead(status, headers).end();
  }

  override stream(): SseSink {
    const response = this.#response;
    const headers = { ...this.headers, ...SSE_HEADERS };
    const sendHead = () => response.writeHead(200, headers).flushHeaders();
    const { responses, options } = this.#endpoint;
    if (this.#mustWait()) return new SseWriter(this.#hold(sendHead), options.maxQueueBytes);
    sendHead();
    return new SseWriter(new ResponseWriter(response, responses), options.maxQueueBytes);
  }

  /** A client that is still connected gets a response, because Node destroys a response with its connection. */
  override abandon(): void {
    if (this.isGone) this.#response.destroy();
    else this.empty(499);
  }

  /**
   * Sends the response when Node has parsed all requests that it has received, so that the connection closes only after
   * the last one. Node may resume reading only when earlier responses are complete, and reads in its next turn.
   */
  override replyLast(status: number, reply: Reply): void {
    const response = this.#response;
    const send = () => {
      if (isLastRequest(this.#request)) this.with(CLOSE_HEADERS);
      this.reply(status, reply);
    };
    const afterReading = () => setImmediate(() => setImmediate(send));
    if (response.socket === null) response.once("socket", afterReading);
    else afterReading();
  }

  /** Returns true for a pipelined response behind a call that is in flight. */
  #mustWait(): boolean {
    return this.#response.socket === null && this.#endpoint.pipelining.hasCalls(this.#request.socket);
  }

  #hold(sendHead: () => void): ResponseWriter {
    this.#isHeld = true;
    const writer = new ResponseWriter(this.#response, this.#endpoint.responses);
    writer.waitForTurn(sendHead);
    return writer;
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
 * Adds the host of an absolute request target, which `node:http` ignores. If the hosts of a request disagree, the result
 * lists all of them and matches no allowed host.
 */
function withTargetHost(host: string | undefined, url: string): string | undefined {
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
