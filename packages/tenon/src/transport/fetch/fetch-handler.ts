/**
 * @fileoverview Web-standard adapter for the HTTP pipeline. Takes a `Request` and returns a `Response`, for Hono, Bun,
 * Deno, and Workers.
 * @module transport/fetch/fetch-handler
 */
import { checkHeaderCount } from "@tenon/internal/security/header-count";
import { type Reply, replyText } from "../../core/wire/receive.js";
import { type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { createDefaultLog, printToConsole } from "../default-log.js";
import type { ContextSource } from "../http/authorization.js";
import { assertHttpOptions } from "../http/check-options.js";
import type { HttpOptions } from "../http/options.js";
import { HttpPipeline } from "../http/pipeline.js";
import { sharedSource, startSource } from "../http/server-source.js";
import type { OptionsFor } from "../options-for.js";
import { warnOfOpenScopes } from "../start-line.js";
import { BodyCollector } from "../http/limits/body-collector.js";
import type { ClientSocket } from "../http/limits/pipelining.js";
import { onSocketClose } from "../http/limits/socket-close.js";
import { refuseHeaderCount } from "../http/refusals.js";
import { SSE_HEADERS } from "../http/sse.js";
import { SseWriter } from "../http/sse-writer.js";
import { type HttpBody, HttpContext, type SseSink } from "../http/http-context.js";
import { WebBody } from "./web-body.js";

/** Function that maps a `Request` to a `Response`. */
export interface FetchHandler {
  /**
   * @param connection second argument that the runtime passes to its handler, such as the one from `@hono/node-server`,
   * or `c.env` in Hono. Used to limit calls per connection.
   */
  (request: Request, connection?: unknown): Promise<Response>;
  /** Rejects new requests. Resolves when the requests in flight have finished, or after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Creates a request handler for runtimes with web-standard APIs.
 *
 * @example export default { fetch: toFetch(server, { allowedHosts: ["mcp.example.com"] }) };
 * @throws if an option is unknown or invalid
 */
export function toFetch<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  ...rest: OptionsFor<NoInfer<Context>, HttpOptions<NoInfer<Context>>, ContextSource<NoInfer<Context>>>
): FetchHandler {
  const options: HttpOptions<Context> = rest[0] ?? {};
  assertHttpOptions(options, "toFetch");
  const source = startSource(
    sharedSource(toServer<Context, Tools>(server)),
    createDefaultLog(printToConsole),
  );
  warnOfOpenScopes(source, options, printToConsole);
  const pipeline = new HttpPipeline<Context>(source, options);
  const handler = (request: Request, connection?: unknown) =>
    new Promise<Response>((resolve) => {
      const context = new WebHttpContext(request, resolve, pipeline);
      const node = nodeConnection(connection);
      if (node !== undefined) {
        const { socket } = node.incoming;
        context.socket = socket;
        if (node.outgoing.socket === null) {
          if (!pipeline.pipelining.admit(socket, node.outgoing)) return context.abandon();
          context.watch(socket);
          context.outgoing = node.outgoing;
        }
        const count = checkHeaderCount(node.incoming);
        if (!count.ok) return refuseHeaderCount(context, count.limit);
      }
      return pipeline.take(context);
    });
  return Object.assign(handler, { close: (graceMs = 10_000) => pipeline.drain(graceMs) });
}

/**
 * Maximum length of a response that is passed to the runtime as one string. Longer responses are streamed at the
 * client's pace.
 */
const WHOLE_LENGTH = 65_536;

class WebHttpContext<Context> extends HttpContext<Context> {
  readonly method: string;
  readonly url: string;
  readonly #request: Request;
  readonly #headers: Headers;
  readonly #host: string;
  readonly #resolve: (response: Response) => void;
  readonly #endpoint: HttpPipeline<Context>;
  /** The request's connection, if the runtime exposes it. */
  socket: ClientSocket | undefined;
  /** Response that the runtime sends after earlier ones on the connection. */
  outgoing: QueuedResponse | undefined;
  #gone: AbortController | undefined;
  #forget: (() => void) | undefined;

  constructor(request: Request, resolve: (response: Response) => void, endpoint: HttpPipeline<Context>) {
    super(endpoint.anyone);
    const { url } = request;
    // A `Request` URL is normalized and has no user info, so it does not need to be parsed again.
    const start = url.indexOf("//") + 2;
    const slash = url.indexOf("/", start);
    this.method = request.method;
    this.url = url.slice(slash).split("#", 1)[0] ?? "/";
    this.#request = request;
    this.#headers = request.headers;
    this.#host = url.slice(start, slash);
    this.#resolve = resolve;
    this.#endpoint = endpoint;
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
    return this.#request.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#leave().signal;
  }

  override readBody(limit: number, onBody: (context: this, body: HttpBody) => void): void {
    // A client that disconnects before its body is complete gets no response.
    this.#read(limit).then(
      (body) => (this.socket?.destroyed === true ? this.abandon() : onBody(this, body)),
      () => this.abandon(),
    );
  }

  override reply(status: number, reply: Reply): void {
    this.json(status, replyText(reply));
  }

  /** Aborts the request when its connection closes. The runtime does not do this for pipelined requests. */
  watch(socket: ClientSocket): void {
    this.#forget = onSocketClose(socket, () => this.#leave().abort(new Error("The client disconnected.")));
  }

  override beginCall(): void {
    if (this.socket !== undefined) this.#endpoint.pipelining.begin(this.socket);
  }

  override endCall(): void {
    this.#forget?.();
    if (this.socket !== undefined) this.#endpoint.pipelining.end(this.socket);
  }

  override json(status: number, text: string): void {
    const headers = { ...this.headers, "content-type": "application/json" };
    this.#send(new Response(text.length > WHOLE_LENGTH ? this.#largeBody(text) : text, { status, headers }));
  }

  override empty(status: number): void {
    this.#send(new Response(null, { status, headers: { ...this.headers } }));
  }

  override stream(): SseSink {
    const body = new WebBody(this.#leave(), this.#endpoint.responses);
    const headers = { ...this.headers, ...SSE_HEADERS };
    this.#send(new Response(body.stream, { status: 200, headers }));
    return new SseWriter(body, this.#endpoint.options.maxQueueBytes);
  }

  override abandon(): void {
    this.#resolve(new Response(null, { status: 499 }));
  }

  /**
   * Passes the response to the runtime. A pipelined response behind a call waits here until the earlier responses are
   * complete. The runtime would pass it to Node, which would then stop reading from the connection.
   */
  #send(response: Response): void {
    const { outgoing, socket } = this;
    const mustWait = outgoing?.socket === null && socket !== undefined;
    if (!mustWait || !this.#endpoint.pipelining.hasCalls(socket)) {
      this.#resolve(response);
      return;
    }
    const release = () => {
      forget();
      this.#resolve(response);
    };
    const forget = onSocketClose(socket, release);
    outgoing.once("socket", release);
  }

  /** Returns a controller that aborts when the request is aborted or its response stream is cancelled. */
  #leave(): AbortController {
    if (this.#gone === undefined) {
      const gone = new AbortController();
      const { signal } = this.#request;
      this.#gone = gone;
      if (signal.aborted) gone.abort(signal.reason);
      else signal.addEventListener("abort", () => gone.abort(signal.reason));
    }
    return this.#gone;
  }

  async #read(limit: number): Promise<HttpBody> {
    const length = Number(this.#headers.get("content-length") ?? 0);
    if (length > limit) return undefined;
    const { body } = this.#request;
    if (body === null) return "";
    // An async iterator would allocate three more promises per chunk.
    const reader = body.getReader();
    let isDropped = false;
    const pieces = new BodyCollector({
      limit,
      budget: this.#endpoint.requests,
      onDrop: () => {
        isDropped = true;
        giveUp(reader);
      },
    });
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        if (piece.value.length === length) return piece.value;
        if (!pieces.add(piece.value)) return giveUp(reader);
      }
      return isDropped ? null : concat(pieces.take());
    } finally {
      pieces.discard();
    }
  }

  #largeBody(text: string): ReadableStream<Uint8Array> {
    const body = new WebBody(this.#leave(), this.#endpoint.responses);
    void body.write(text);
    body.end();
    return body.stream;
  }
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Node's request and response objects behind a `Request`. */
interface NodeConnection {
  readonly incoming: { readonly socket: ClientSocket; readonly rawHeaders: readonly string[] };
  readonly outgoing: QueuedResponse;
}

/** Subset of Node's `ServerResponse` that is used here. */
interface QueuedResponse {
  /** `null` until the earlier responses on the connection are complete. */
  readonly socket: unknown;
  once(event: "close" | "socket", listener: () => void): unknown;
}

/** Recognizes the second argument that `@hono/node-server` passes to its handler. */
function nodeConnection(value: unknown): NodeConnection | undefined {
  const { incoming, outgoing } = (value ?? {}) as Partial<NodeConnection>; // Safe: every property is checked below
  return typeof incoming?.socket?.once === "function" &&
    Array.isArray(incoming.rawHeaders) &&
    typeof outgoing?.once === "function"
    ? { incoming, outgoing }
    : undefined;
}

/** Cancels the unread part of a request body. Ignores failures, because the client may have disconnected already. */
function giveUp(reader: ReadableStreamDefaultReader<unknown>): undefined {
  reader.cancel().catch(() => undefined);
}
