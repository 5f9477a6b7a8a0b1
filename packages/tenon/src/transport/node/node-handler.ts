/**
 * @fileoverview `node:http` adapter for the HTTP pipeline. It avoids `Request` and `Response` objects, writes headers
 * unchanged, and sends each reply in one write.
 * @module tenon/transport/node/node-handler
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { assertOptions } from "@tenon/internal/options/define-options";
import { checkHeaderCount } from "@tenon/internal/security/header-count";
import { isBatch, type Reply, replyText } from "../../core/wire/receive.js";
import type { ServerLike, ToolMap } from "../../core/wire/hosted-server.js";
import { createDefaultLog, printToConsole } from "../default-log.js";
import type { ContextSource } from "../http/authorization.js";
import { HTTP_OPTIONS, type HttpOptions } from "../http/options.js";
import { HttpPipeline } from "../http/pipeline.js";
import { type ServerSource, toSource, startSource } from "../http/server-source.js";
import type { OptionsFor } from "../options-for.js";
import { warnOfOpenScopes } from "../start-line.js";
import { refuseHeaderCount } from "../http/refusals.js";
import { SSE_HEADERS } from "../http/sse.js";
import { SseWriter } from "../http/sse-writer.js";
import { byteFunctions } from "../node-buffer.js";
import { type BodyTaker, NodeRequestContext } from "../node-requests/node-request-context.js";
import { CLOSE_HEADERS, type HttpHeaders, NO_HEADERS, type SseSink } from "../http/http-context.js";
import { isLastRequest } from "./connection-state.js";
import type { DirectRequest } from "./direct-request.js";
import { endWith } from "./end-with.js";
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
  assertOptions(HTTP_OPTIONS, options, "toNodeHandler");
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

class NodeHttpContext<Context> extends NodeRequestContext<Context> {
  /** True if the response is complete, but waits for earlier responses on its connection. */
  #isHeld = false;

  // oxlint-disable-next-line no-useless-constructor -- an implicit one would pass its arguments on as a list
  constructor(request: IncomingMessage, response: ServerResponse, endpoint: HttpPipeline<Context>) {
    super(request, response, endpoint);
  }

  /** Watches the connection without a signal. Only a lost connection can abort the signal of this class. */
  override onGone(task: (reason: unknown) => void): () => void {
    return this.onDisconnect(task);
  }

  /** Takes the body from Node's parser if possible. */
  protected override readChunks(take: BodyTaker): void {
    const { request } = this;
    if (!isDirect(request) || !request.takeBody(take)) super.readChunks(take);
  }

  override reply(status: number, reply: Reply): void {
    const halves = isBatch(reply) ? undefined : reply.halves();
    const response = this.response;
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
    const response = this.response;
    if (response.headersSent || this.#isHeld) return;
    const headers = jsonHeaders(byteFunctions().byteLength(text), this.headers);
    if (this.mustWait()) {
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
    const response = this.response;
    if (response.headersSent || this.#isHeld) return;
    const headers = { ...this.headers, "content-length": 0 };
    if (this.mustWait()) this.#hold(() => response.writeHead(status, headers)).end();
    else response.writeHead(status, headers).end();
  }

  override stream(isPrimed = false): SseSink {
    const response = this.response;
    const headers = { ...this.headers, ...SSE_HEADERS };
    const { responses, options } = this.endpoint;
    if (this.mustWait()) {
      const sendHead = () => response.writeHead(200, headers).flushHeaders();
      return new SseWriter(this.#hold(sendHead), options.maxQueueBytes);
    }
    response.writeHead(200, headers);
    const writer = new ResponseWriter(response, responses);
    // Most streams are opened for an event that follows at once, and then need only one write.
    if (!isPrimed) queueMicrotask(() => writer.flushHead());
    return new SseWriter(writer, options.maxQueueBytes);
  }

  /** A client that is still connected gets a response, because Node destroys a response with its connection. */
  override abandon(): void {
    if (this.isGone) this.response.destroy();
    else this.empty(499);
  }

  /**
   * Sends the response when Node has parsed all requests that it has received, so that the connection closes only after
   * the last one. Node may resume reading only when earlier responses are complete, and reads in its next turn.
   */
  override replyLast(status: number, reply: Reply): void {
    const response = this.response;
    const send = () => {
      if (isLastRequest(this.request)) this.with(CLOSE_HEADERS);
      this.reply(status, reply);
    };
    const afterReading = () => setImmediate(() => setImmediate(send));
    if (response.socket === null) response.once("socket", afterReading);
    else afterReading();
  }

  #hold(sendHead: () => void): ResponseWriter {
    this.#isHeld = true;
    const writer = new ResponseWriter(this.response, this.endpoint.responses);
    writer.waitForTurn(sendHead);
    return writer;
  }

  #sendLarge(content: string | Uint8Array): void {
    const writer = new ResponseWriter(this.response, this.endpoint.responses);
    void writer.write(content);
    writer.end();
  }

  /** Watches a response that the operating system has not accepted in full, which is rare. */
  #watchUnread(): void {
    const response = this.response;
    if (response.writableLength > 0) new ResponseWriter(response, this.endpoint.responses).watch();
  }
}

/**
 * Returns true for a `DirectRequest`, recognized by its shape. Importing the class would load `node:http`, which a
 * stdio server does not use.
 */
function isDirect(request: IncomingMessage): request is DirectRequest {
  return "takeBody" in request;
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
