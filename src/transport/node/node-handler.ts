/**
 * @fileoverview The `node:http` face of the pipeline: no `Request` or `Response` is made, headers are written as they
 * are, and a reply leaves in one write.
 * @module transport/node/node-handler
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isBatch, type Reply, replyText } from "../../core/receive.js";
import { type ServerLike, type ToolMap, toServer } from "../../core/server.js";
import type { HttpOptions } from "../http/options.js";
import { HttpPipeline } from "../http/pipeline.js";
import { formatAnnouncement, formatEvent, formatPriming, KEEP_ALIVE, SSE_HEADERS } from "../http/sse.js";
import { StallWatch } from "../http/stall-watch.js";
import {
  type Caller,
  type HttpBody,
  type HttpHeaders,
  HttpTurn,
  NO_HEADERS,
  type SseSink,
} from "../http/turn.js";
import type { DirectRequest } from "./direct-request.js";

/** Node's own, without importing `node:buffer`: that would load streams and files, which a server on stdio does without. */
const { Buffer } = globalThis;

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
  server: ServerLike<Context, Tools>,
  options: HttpOptions<Context> = {},
): NodeHandler {
  return pipelineHandler(new HttpPipeline<Context>(toServer(server), options));
}

/** The same for an endpoint that was made elsewhere. */
export function pipelineHandler<Context>(pipeline: HttpPipeline<Context>): NodeHandler {
  const { maxQueueBytes } = pipeline.options;
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    pipeline.take(new NodeTurn(request, response, pipeline.anyone, maxQueueBytes));
  };
  return Object.assign(handler, { close: (graceMs = 10_000) => pipeline.drain(graceMs) });
}

class NodeTurn<Context> extends HttpTurn<Context> {
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
  readonly #maxQueueBytes: number;
  #controller: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller<Context>,
    maxQueueBytes: number,
  ) {
    super(caller);
    this.method = request.method ?? "GET";
    // Under a mount, Express and Connect keep the whole path here.
    this.url = (request as { readonly originalUrl?: string }).originalUrl ?? request.url ?? "/";
    this.#request = request;
    this.#response = response;
    const { headers } = request;
    this.#fields = headers;
    // Read here, each by a name that is known: a look-up by a name that is passed around costs five times as much.
    this.host = hostOf(request);
    this.origin = headers.origin;
    this.contentType = headers["content-type"];
    this.accept = headers.accept;
    this.version = single(headers["mcp-protocol-version"]);
    this.sessionId = single(headers["mcp-session-id"]);
    this.#maxQueueBytes = maxQueueBytes;
  }

  override header(name: string): string | undefined {
    if (name === "host") return this.host;
    // Node keeps the first of several and says nothing: two tokens would be one, and another than a proxy saw.
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
        if (!response.writableFinished) controller.abort(new Error("the client is gone"));
      };
      // A pipelined request's response gets its socket when its turn comes, and does not hear of its end till then.
      const forget = response.socket === null ? onSocketClose(this.#request.socket, onClose) : undefined;
      if (this.isGone) onClose();
      else response.once("close", onClose);
    }
    return this.#controller.signal;
  }

  /** A client that leaves before all of it came is not heard of again, and nothing waits for it. */
  override readBody(limit: number, onBody: (turn: this, body: HttpBody) => void): void {
    const request: IncomingMessage & { readonly body?: unknown } = this.#request;
    // A body parser was here before: what it read cannot be read again.
    if (request.body !== undefined && request.readableEnded) {
      return onBody(this, toBytes(request.body, limit));
    }
    if (Number(this.#fields["content-length"] ?? 0) > limit) return onBody(this, undefined);
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer | null): void => {
      if (chunk === null) {
        if (size <= limit) onBody(this, toText(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
        return;
      }
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      // Whatever still comes is let through unseen until the refusal has closed the connection.
      else if (size - chunk.length <= limit) onBody(this, undefined);
    };
    if (isDirect(request) && request.takeBody(take)) return undefined;
    request.on("data", take);
    request.on("end", () => take(null));
    return undefined;
  }

  override reply(status: number, reply: Reply): void {
    const halves = isBatch(reply) ? undefined : reply.halves();
    if (halves === undefined) return this.json(status, replyText(reply));
    const response = this.#response;
    if (response.headersSent) return undefined;
    const { head, tail } = halves;
    response.writeHead(status, jsonHeaders(Buffer.byteLength(head) + tail.length, this.headers));
    response.write(head);
    response.end(toBuffer(tail));
    return undefined;
  }

  override json(status: number, text: string): void {
    const response = this.#response;
    if (response.headersSent) return;
    response.writeHead(status, jsonHeaders(Buffer.byteLength(text), this.headers));
    endWith(response, text);
  }

  override empty(status: number): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(status, { ...this.headers, "content-length": 0 });
    this.#response.end();
  }

  override stream(): SseSink {
    this.#response.writeHead(200, { ...this.headers, ...SSE_HEADERS });
    this.#response.flushHeaders();
    return new NodeSseSink(this.#response, this.#maxQueueBytes);
  }

  override abandon(): void {
    this.#response.destroy();
  }
}

/**
 * Sends a body and ends. `end(text)` writes twice, the text and nothing, and two writes are gathered into a list for the
 * system; a text that left before is one plain write, for which nothing is allocated: a fifteenth of a call.
 */
function endWith(response: ServerResponse, text: string): void {
  const { socket } = response;
  // A pipelined request's response has no socket before its turn.
  if (socket === null) {
    response.end(text);
    return;
  }
  // While it is corked, Node does not wait for the next tick to uncork it.
  socket.cork();
  response.write(text);
  socket.uncork();
  response.end();
}

/** By its shape: the class itself would load all of `node:http`, which a server on stdio does without. */
function isDirect(request: IncomingMessage): request is DirectRequest {
  return "takeBody" in request;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/**
 * The text of a body. Node decodes faster than a strict decoder, and marks what is malformed: where there is such a
 * mark, the bytes go on as they are, to be decoded strictly where they are parsed.
 */
function toText(bytes: Buffer | undefined): string | Uint8Array {
  const text = bytes?.toString() ?? "";
  return text.includes("\ufffd") ? (bytes ?? text) : text;
}

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

const buffers = new WeakMap<Uint8Array, Buffer>();

/** Shared bytes in the form that Node writes as it is; any other it would wrap anew for each reply. */
function toBuffer(bytes: Uint8Array): Buffer {
  const known = buffers.get(bytes);
  if (known !== undefined) return known;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  buffers.set(bytes, buffer);
  return buffer;
}

function jsonHeaders(length: number, headers: HttpHeaders): OutgoingHttpHeaders {
  return headers === NO_HEADERS
    ? { "content-type": "application/json", "content-length": length }
    : { ...headers, "content-type": "application/json", "content-length": length };
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
