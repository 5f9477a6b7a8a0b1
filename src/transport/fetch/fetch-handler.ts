/**
 * @fileoverview The web face of the pipeline: a `Request` in, a `Response` out. For Hono, Bun, Deno and Workers.
 * @module transport/fetch/fetch-handler
 */
import { type Reply, replyText } from "../../core/receive.js";
import { type ServerLike, type ToolMap, toServer } from "../../core/server.js";
import { encodeUtf8 } from "../../internal/utf8.js";
import type { HttpOptions } from "../http/options.js";
import { HttpPipeline } from "../http/pipeline.js";
import { formatAnnouncement, formatEvent, formatPriming, KEEP_ALIVE, SSE_HEADERS } from "../http/sse.js";
import { StallWatch } from "../http/stall-watch.js";
import { type Caller, type HttpBody, HttpTurn, type SseSink } from "../http/turn.js";

/** A function from `Request` to `Response`. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Refuses new requests, and ends when those under way have, or after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * A request handler for runtimes that speak web standards.
 *
 * @example export default { fetch: toFetch(server, { allowedHosts: ["mcp.example.com"] }) };
 */
export function toFetch<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  options: HttpOptions<Context> = {},
): FetchHandler {
  const pipeline = new HttpPipeline<Context>(toServer(server), options);
  const { maxQueueBytes } = pipeline.options;
  const handler = (request: Request) =>
    new Promise<Response>((resolve) => {
      pipeline.take(new WebTurn(request, resolve, pipeline.anyone, maxQueueBytes));
    });
  return Object.assign(handler, { close: (graceMs = 10_000) => pipeline.drain(graceMs) });
}

class WebTurn<Context> extends HttpTurn<Context> {
  readonly method: string;
  readonly url: string;
  readonly #request: Request;
  readonly #headers: Headers;
  readonly #host: string;
  readonly #resolve: (response: Response) => void;
  readonly #maxQueueBytes: number;
  #gone: AbortController | undefined;

  constructor(
    request: Request,
    resolve: (response: Response) => void,
    caller: Caller<Context>,
    maxQueueBytes: number,
  ) {
    super(caller);
    const { url } = request;
    // The address of a `Request` is normalized and has no user, so that it need not be parsed again.
    const start = url.indexOf("//") + 2;
    const slash = url.indexOf("/", start);
    this.method = request.method;
    this.url = url.slice(slash).split("#", 1)[0] ?? "/";
    this.#request = request;
    this.#headers = request.headers;
    this.#host = url.slice(start, slash);
    this.#resolve = resolve;
    this.#maxQueueBytes = maxQueueBytes;
  }

  /** A `Request` may be made without a Host header; its URL then has the host. */
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

  override readBody(limit: number, onBody: (turn: this, body: HttpBody) => void): void {
    // A client that leaves before all of it came is not heard of again, and nothing waits for it.
    this.#read(limit).then(
      (body) => onBody(this, body),
      () => this.abandon(),
    );
  }

  override reply(status: number, reply: Reply): void {
    this.json(status, replyText(reply));
  }

  override json(status: number, text: string): void {
    const headers = { ...this.headers, "content-type": "application/json" };
    this.#resolve(new Response(text, { status, headers }));
  }

  override empty(status: number): void {
    this.#resolve(new Response(null, { status, headers: { ...this.headers } }));
  }

  override stream(): SseSink {
    const sink = new WebSseSink(this.#leave(), this.#maxQueueBytes);
    this.#resolve(new Response(sink.body, { status: 200, headers: { ...this.headers, ...SSE_HEADERS } }));
    return sink;
  }

  override abandon(): void {
    this.#resolve(new Response(null, { status: 499 }));
  }

  /** Aborts when the request is aborted, or the stream of its reply is given up. */
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
    if (Number(this.#headers.get("content-length") ?? 0) > limit) return undefined;
    const { body } = this.#request;
    if (body === null) return "";
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    // An iterator would make three more promises for each part.
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > limit) return giveUp(reader);
      chunks.push(part.value);
    }
    const [only] = chunks;
    return chunks.length === 1 && only !== undefined
      ? only
      : new Uint8Array(await new Blob(chunks).arrayBuffer());
  }
}

/** What still comes of a body that is too long is not wanted, and whether its sender hears of that is its own affair. */
function giveUp(reader: ReadableStreamDefaultReader<unknown>): undefined {
  reader.cancel().catch(() => undefined);
}

/** From how many bytes on senders are asked to wait. */
const HIGH_WATER_MARK = 16_384;

class WebSseSink implements SseSink {
  readonly body: ReadableStream<Uint8Array>;
  readonly #gone: AbortController;
  readonly #maxQueueBytes: number;
  readonly #onClose: (() => void)[] = [];
  readonly #stall = new StallWatch();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #open = true;
  /** Settles when the client has read what waits for it, or is gone. */
  #drained: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;

  constructor(gone: AbortController, maxQueueBytes: number) {
    this.#gone = gone;
    this.#maxQueueBytes = maxQueueBytes;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#onDrained?.(),
        cancel: () => this.#cut(),
      },
      { highWaterMark: HIGH_WATER_MARK, size: (chunk) => chunk.length },
    );
    // As with `fetch` itself, a stream whose request was aborted breaks off.
    const onGone = () => {
      if (this.#open) this.#controller?.error(gone.signal.reason);
      this.#close();
    };
    if (gone.signal.aborted) onGone();
    else gone.signal.addEventListener("abort", onGone);
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
    if (this.#stall.isStalled(this.#drained)) this.#refuse();
    void this.#write(KEEP_ALIVE);
  }

  onClose(task: () => void): void {
    if (this.#open) this.#onClose.push(task);
    else task();
  }

  end(): void {
    if (!this.#open) return;
    this.#controller?.close();
    this.#close();
  }

  /**
   * A client that does not read is cut off: what waits for it must not fill memory. One large event is no reason to:
   * it is what came before it that was not read.
   */
  #write(text: string): Promise<void> | undefined {
    const controller = this.#controller;
    if (!this.#open || controller === undefined) return undefined;
    const waiting = HIGH_WATER_MARK - (controller.desiredSize ?? 0);
    if (waiting > this.#maxQueueBytes) return this.#refuse();
    controller.enqueue(encodeUtf8(text));
    if ((controller.desiredSize ?? 0) > 0) return undefined;
    return (this.#drained ??= new Promise((resolve) => {
      this.#onDrained = () => {
        this.#drained = undefined;
        this.#onDrained = undefined;
        resolve();
      };
    }));
  }

  #refuse(): undefined {
    if (this.#open) this.#controller?.error(new Error("the client does not read"));
    this.#cut();
  }

  #cut(): void {
    this.#close();
    this.#gone.abort(new Error("the client is gone"));
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#onDrained?.();
    for (const task of this.#onClose.splice(0)) task();
  }
}
