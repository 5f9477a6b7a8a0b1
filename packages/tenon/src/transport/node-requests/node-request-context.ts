/**
 * @fileoverview Request side of `node:http`: headers, body, and disconnection. The Node handler and bridges from Node to
 * `fetch` share it.
 * @module tenon/transport/node-requests/node-request-context
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { decodeBody, decodeBytes } from "../decode-body.js";
import { type HttpBody, HttpContext } from "../http/http-context.js";
import { BodyCollector } from "../http/limits/body-collector.js";
import { onSocketClose } from "../http/limits/socket-close.js";
import type { HttpPipeline } from "../http/pipeline.js";
import { byteFunctions } from "../node-buffer.js";

/** Request of `node:http`, and the response that belongs to it. */
export interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Receives each chunk of a body, then `null`. */
export type BodyTaker = (chunk: Uint8Array | null) => void;

/** One request over `node:http`. Subclasses send the response. */
export abstract class NodeRequestContext<Context> extends HttpContext<Context> {
  readonly method: string;
  readonly url: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly version: string | undefined;
  readonly sessionId: string | undefined;
  protected readonly request: IncomingMessage;
  protected readonly response: ServerResponse;
  readonly endpoint: HttpPipeline<Context>;
  readonly #fields: IncomingHttpHeaders;
  #gone: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, endpoint: HttpPipeline<Context>) {
    super(endpoint.anyone);
    this.method = request.method ?? "GET";
    // Safe: mounted Express and Connect apps keep the full path in `originalUrl`.
    this.url = (request as { readonly originalUrl?: string }).originalUrl ?? request.url ?? "/";
    this.request = request;
    this.response = response;
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
    this.endpoint = endpoint;
  }

  override header(name: string): string | undefined {
    if (name === "host") return this.host;
    // Repeated headers are joined, which makes the token invalid. Node silently keeps only the first header, but a
    // proxy could have checked a different one.
    if (name === "authorization") return this.request.headersDistinct[name]?.join(", ");
    return single(this.#fields[name]);
  }

  get isGone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }

  get signal(): AbortSignal {
    return this.gone.signal;
  }

  /** Aborts when the client disconnects. Created on first use. */
  get gone(): AbortController {
    if (this.#gone === undefined) {
      const controller = new AbortController();
      this.#gone = controller;
      this.onDisconnect((reason) => controller.abort(reason));
    }
    return this.#gone;
  }

  /**
   * Calls `task` once with the reason when the client disconnects, or at once if it already has. Returns a function that
   * stops this.
   */
  protected onDisconnect(task: (reason: Error) => void): () => void {
    const { request, response } = this;
    const onClose = () => {
      forget();
      if (!response.writableFinished) task(new Error("The client disconnected."));
    };
    const forget = () => {
      forgetSocket?.();
      response.off("close", onClose);
    };
    // A pipelined response gets its socket after earlier responses are complete, and no close event until then.
    const forgetSocket = response.socket === null ? onSocketClose(request.socket, onClose) : undefined;
    if (this.isGone) onClose();
    else response.on("close", onClose);
    return forget;
  }

  /** Reads the body. Never calls `onBody` if the client disconnects before the body is complete. */
  override readBody(limit: number, onBody: (context: this, body: HttpBody) => void): void {
    const request: IncomingMessage & { readonly body?: unknown } = this.request;
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
      if (this.isGone) this.abandon();
      else onBody(this, body);
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
    this.readChunks(take);
    return undefined;
  }

  /** Passes the chunks of the body to a function as they arrive. */
  protected readChunks(take: BodyTaker): void {
    const { request } = this;
    request.on("data", take);
    request.on("end", () => take(null));
  }

  override beginCall(): void {
    this.endpoint.pipelining.begin(this.request.socket);
  }

  override endCall(): void {
    this.endpoint.pipelining.end(this.request.socket);
  }

  /** Returns true for a pipelined response behind a call that is in flight. */
  protected mustWait(): boolean {
    return this.response.socket === null && this.endpoint.pipelining.hasCalls(this.request.socket);
  }

  #collect(limit: number, onDrop: () => void): BodyCollector {
    const { requests: budget } = this.endpoint;
    const pieces = new BodyCollector({ limit, budget, onDrop });
    this.response.once("close", () => pieces.discard());
    return pieces;
  }
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

/** Converts a body left by a body parser back to bytes. Returns `undefined` if it is longer than `limit`. */
function toBytes(body: unknown, limit: number): Uint8Array | undefined {
  const encoded =
    body instanceof Uint8Array
      ? body
      : byteFunctions().encode(typeof body === "string" ? body : JSON.stringify(body));
  return encoded.length > limit ? undefined : encoded;
}
