/**
 * @fileoverview The `node:http` face of the pipeline: no `Request` or `Response` is made, headers are written as they
 * are, and a reply leaves in one write.
 * @module transport/node/node-handler
 */
import { Buffer, isAscii } from "node:buffer";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ServerBuilder } from "../../core/builder.js";
import { type Reply, replyText } from "../../core/receive.js";
import type { Server, ToolMap } from "../../core/server.js";
import { NO_HEADERS } from "../http/cors.js";
import type { HttpHeaders, HttpRequest, HttpSink, SseSink } from "../http/exchange-types.js";
import type { HttpOptions } from "../http/options.js";
import { HttpPipeline } from "../http/pipeline.js";
import { formatAnnouncement, formatEvent, formatPriming, KEEP_ALIVE, SSE_HEADERS } from "../http/sse.js";
import { StallWatch } from "../http/stall-watch.js";

/** A function that `node:http`, Connect and Express take as it is. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Refuses new requests, and ends when those under way have, or after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * A request handler for `node:http`.
 *
 * @example createServer(toNodeHandler(server)).listen(3000, "127.0.0.1")
 */
export function toNodeHandler<Context, Tools extends ToolMap>(
  server: Server<Context, Tools> | ServerBuilder<Context, Tools>,
  options: HttpOptions<Context> = {},
): NodeHandler {
  const built = server instanceof ServerBuilder ? server.build() : server;
  return pipelineHandler(new HttpPipeline<Context>(built, options));
}

/** The same for an endpoint that was made elsewhere. */
export function pipelineHandler<Context>(pipeline: HttpPipeline<Context>): NodeHandler {
  const { maxQueueBytes } = pipeline.options;
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    pipeline.take(new NodeRequest(request, response), new NodeSink(response, maxQueueBytes));
  };
  return Object.assign(handler, { close: (graceMs = 10_000) => pipeline.drain(graceMs) });
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #controller: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.method = request.method ?? "GET";
    // Under a mount, Express and Connect keep the whole path here.
    this.url = (request as { readonly originalUrl?: string }).originalUrl ?? request.url ?? "/";
    this.#request = request;
    this.#response = response;
  }

  readonly header = (name: string): string | undefined => {
    if (name === "host") return hostOf(this.#request);
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };

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
        if (!response.writableFinished) controller.abort(CLIENT_GONE);
      };
      // A pipelined request's response gets its socket when its turn comes, and does not hear of its end till then.
      const forget = response.socket === null ? onSocketClose(this.#request.socket, onClose) : undefined;
      if (this.isGone) onClose();
      else response.once("close", onClose);
    }
    return this.#controller.signal;
  }

  readBody(limit: number, onBody: (body: string | Uint8Array | undefined) => void, onGone: () => void): void {
    const request: IncomingMessage & { readonly body?: unknown } = this.#request;
    // A body parser was here before: what it read cannot be read again.
    if (request.body !== undefined && request.readableEnded) return onBody(toBytes(request.body, limit));
    const announced = Number(request.headers["content-length"] ?? -1);
    if (announced > limit) return onBody(undefined);
    const chunks: Buffer[] = [];
    let size = 0;
    let isOpen = true;
    const settle = (body: string | Uint8Array | undefined) => {
      if (!isOpen) return;
      isOpen = false;
      onBody(body);
    };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      // Whatever still comes is let through unseen until the refusal has closed the connection.
      if (size > limit) settle(undefined);
      // The whole body in one piece, as most are: its end need not be waited for.
      else if (size === announced && chunks.length === 0) settle(toText(chunk));
      else if (isOpen) chunks.push(chunk);
    });
    request.on("end", () => settle(toText(Buffer.concat(chunks))));
    request.on("close", () => {
      if (!isOpen) return;
      isOpen = false;
      onGone();
    });
    return undefined;
  }
}

/** ASCII, as most bodies are, becomes text by a mere copy; anything else is decoded, strictly, where it is parsed. */
function toText(bytes: Uint8Array): string | Uint8Array {
  return isAscii(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
    : bytes;
}

/** The same for all: where a client left has no stack worth telling. */
const CLIENT_GONE = /* @__PURE__ */ new Error("the client is gone");

const socketTasks = new WeakMap<Socket, Set<() => void>>();

/** Runs `task` when a socket closes, under one listener for each socket; the function returned forgets it. */
function onSocketClose(socket: Socket, task: () => void): () => void {
  const tasks = socketTasks.get(socket) ?? new Set();
  if (!socketTasks.has(socket)) {
    socketTasks.set(socket, tasks);
    socket.once("close", () => tasks.forEach((one) => one()));
  }
  tasks.add(task);
  return () => tasks.delete(task);
}

/**
 * The host that a request is for. `node:http` drops all Host headers but the first, and leaves the host in an absolute
 * target alone: where they disagree, none of them counts.
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

function jsonHeaders(length: number, headers: HttpHeaders): OutgoingHttpHeaders {
  return headers === NO_HEADERS
    ? { "content-type": "application/json", "content-length": length }
    : { ...headers, "content-type": "application/json", "content-length": length };
}

class NodeSink implements HttpSink {
  readonly #response: ServerResponse;
  readonly #maxQueueBytes: number;

  constructor(response: ServerResponse, maxQueueBytes: number) {
    this.#response = response;
    this.#maxQueueBytes = maxQueueBytes;
  }

  reply(status: number, reply: Reply, headers: HttpHeaders = NO_HEADERS): void {
    if (Array.isArray(reply) || !("parts" in reply)) return this.json(status, replyText(reply), headers);
    const { prefix, payload, suffix } = reply.parts();
    if (typeof payload === "string") return this.json(status, prefix + payload + suffix, headers);
    const response = this.#response;
    if (response.headersSent) return undefined;
    const length = Buffer.byteLength(prefix) + payload.length + suffix.length;
    response.writeHead(status, jsonHeaders(length, headers));
    response.cork();
    response.write(prefix);
    response.write(payload);
    response.end(suffix);
    response.uncork();
    return undefined;
  }

  json(status: number, text: string, headers: HttpHeaders = NO_HEADERS): void {
    const response = this.#response;
    if (response.headersSent) return;
    const length = Buffer.byteLength(text);
    response.writeHead(status, jsonHeaders(length, headers));
    // As many bytes as characters is ASCII, which leaves without being encoded.
    response.end(text, length === text.length ? "latin1" : "utf8");
  }

  empty(status: number, headers: HttpHeaders = NO_HEADERS): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(status, { ...headers, "content-length": 0 });
    this.#response.end();
  }

  stream(headers: HttpHeaders = {}): SseSink {
    this.#response.writeHead(200, { ...headers, ...SSE_HEADERS });
    this.#response.flushHeaders();
    return new NodeSseSink(this.#response, this.#maxQueueBytes);
  }

  abandon(): void {
    this.#response.destroy();
  }
}

class NodeSseSink implements SseSink {
  readonly #response: ServerResponse;
  readonly #maxQueueBytes: number;
  readonly #stall = new StallWatch();
  /** Settles when the client has read what waits for it, or is gone. */
  #drained: Promise<void> | undefined;

  constructor(response: ServerResponse, maxQueueBytes: number) {
    this.#response = response;
    this.#maxQueueBytes = maxQueueBytes;
  }

  write(data: string, id?: string): Promise<void> | undefined {
    return this.#write(formatEvent(data, id));
  }

  prime(id: string, retryMs: number): void {
    void this.#write(formatPriming(id, retryMs));
  }

  announce(event: string, data: string): void {
    void this.#write(formatAnnouncement(event, data));
  }

  keepAlive(): void {
    if (this.#stall.isStalled(this.#drained)) this.#response.destroy();
    void this.#write(KEEP_ALIVE);
  }

  onClose(task: () => void): void {
    if (this.#response.closed) task();
    else this.#response.once("close", task);
  }

  end(): void {
    this.#response.end();
  }

  /**
   * A client that does not read is cut off: what waits for it must not fill memory. One large event is no reason to:
   * it is what came before it that was not read.
   */
  #write(text: string): Promise<void> | undefined {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return undefined;
    if (response.writableLength > this.#maxQueueBytes) {
      response.destroy();
      return undefined;
    }
    if (response.write(text)) return undefined;
    return (this.#drained ??= new Promise((resolve) => {
      const done = () => {
        response.off("drain", done);
        response.off("close", done);
        this.#drained = undefined;
        resolve();
      };
      response.once("drain", done);
      response.once("close", done);
    }));
  }
}

/** A parsed body, as the text it came from would have said it. */
function toBytes(body: unknown, limit: number): Uint8Array | undefined {
  const bytes =
    body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return bytes.length > limit ? undefined : bytes;
}
