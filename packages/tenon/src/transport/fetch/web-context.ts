/**
 * @fileoverview One HTTP request as a web `Request`, and its response.
 * @module tenon/transport/fetch/web-context
 */
import { type Reply, replyText } from "../../core/wire/receive.js";
import { type HttpBody, HttpContext, type SseSink } from "../http/http-context.js";
import type { ClientSocket } from "../http/limits/pipelining.js";
import { onSocketClose } from "../http/limits/socket-close.js";
import type { HttpPipeline } from "../http/pipeline.js";
import type { NodeExchange } from "../node-requests/node-request-context.js";
import { isLightweight, readBody } from "./read-body.js";
import {
  afterEarlierResponses,
  createAbandonedResponse,
  type QueuedResponse,
  sendEmpty,
  sendJson,
  sendStream,
} from "./web-replies.js";

/** `Request` that receives a `Response`. */
export class WebHttpContext<Context> extends HttpContext<Context> {
  readonly method: string;
  readonly url: string;
  readonly endpoint: HttpPipeline<Context>;
  readonly #request: Request;
  readonly #headers: Headers;
  readonly #host: string;
  readonly #resolve: (response: Response) => void;
  /** The request's connection, if the runtime exposes it. */
  #socket: ClientSocket | undefined;
  /** Response that the runtime sends after earlier ones on the connection. */
  #outgoing: QueuedResponse | undefined;
  #gone: AbortController | undefined;
  #forget: (() => void) | undefined;

  constructor(request: Request, endpoint: HttpPipeline<Context>, resolve: (response: Response) => void) {
    super(endpoint.anyone);
    const { url } = request;
    // A `Request` URL is normalized and has no user info, so it does not need to be parsed again.
    const start = url.indexOf("//") + 2;
    const slash = url.indexOf("/", start);
    this.method = request.method;
    this.url = url.slice(slash).split("#", 1)[0] ?? "/";
    this.endpoint = endpoint;
    this.#request = request;
    this.#headers = request.headers;
    this.#host = url.slice(start, slash);
    this.#resolve = resolve;
  }

  /** Host header. Falls back to the URL's host, because a `Request` can be created without the header. */
  get host(): string {
    return this.#headers.get("host") ?? this.#host;
  }

  get origin(): string | null {
    return this.#headers.get("origin");
  }

  get contentType(): string | null {
    return this.#headers.get("content-type");
  }

  get accept(): string | null {
    return this.#headers.get("accept");
  }

  get version(): string | null {
    return this.#headers.get("mcp-protocol-version");
  }

  get sessionId(): string | null {
    return this.#headers.get("mcp-session-id");
  }

  override header(name: string): string | null {
    return name === "host" ? this.host : this.#headers.get(name);
  }

  get isGone(): boolean {
    // Some runtimes create the signal on first use.
    return this.#socket === undefined ? this.#request.signal.aborted : this.#socket.destroyed;
  }

  get signal(): AbortSignal {
    return this.gone.signal;
  }

  override readBody(limit: number, onBody: (context: this, body: HttpBody) => void): void {
    const length = Number(this.#headers.get("content-length") ?? Number.NaN);
    if (length > limit) return onBody(this, undefined);
    readBody(this.#request, { length, limit, budget: this.endpoint.requests }).then(
      (body) => (this.#socket?.destroyed === true ? this.abandon() : onBody(this, body)),
      // A client that disconnects before its body is complete gets no response.
      () => this.abandon(),
    );
    return undefined;
  }

  /** Aborts when the request is aborted or its response stream is cancelled. Created on first use. */
  get gone(): AbortController {
    if (this.#gone === undefined) {
      const gone = new AbortController();
      const { signal } = this.#request;
      this.#gone = gone;
      if (signal.aborted) gone.abort(signal.reason);
      else signal.addEventListener("abort", () => gone.abort(signal.reason));
    }
    return this.#gone;
  }

  /** Adds the connection of the request. */
  attach({ incoming, outgoing }: NodeExchange): this {
    const { socket } = incoming;
    this.#socket = socket;
    if (outgoing.socket === null) {
      this.#outgoing = outgoing;
      // The runtime does not abort pipelined requests when their connection closes.
      this.#forget = onSocketClose(socket, () => this.gone.abort(new Error("The client disconnected.")));
    }
    return this;
  }

  get isBridged(): boolean {
    return this.#socket !== undefined || isLightweight(this.#request);
  }

  override beginCall(): void {
    if (this.#socket !== undefined) this.endpoint.pipelining.begin(this.#socket);
  }

  override endCall(): void {
    this.#forget?.();
    if (this.#socket !== undefined) this.endpoint.pipelining.end(this.#socket);
  }

  override reply(status: number, reply: Reply): void {
    sendJson(this, status, replyText(reply));
  }

  override json(status: number, text: string): void {
    sendJson(this, status, text);
  }

  override empty(status: number): void {
    sendEmpty(this, status);
  }

  override stream(): SseSink {
    return sendStream(this);
  }

  override abandon(): void {
    this.#resolve(createAbandonedResponse());
  }

  respond(response: Response): void {
    const outgoing = this.#outgoing;
    const socket = this.#socket;
    const mustWait = outgoing?.socket === null && socket !== undefined;
    if (!mustWait || !this.endpoint.pipelining.hasCalls(socket)) this.#resolve(response);
    else afterEarlierResponses(outgoing, socket, () => this.#resolve(response));
  }
}
