/**
 * @fileoverview The web face of the pipeline: a `Request` in, a `Response` out. For Hono, Bun, Deno and Workers.
 * @module transport/fetch/fetch-handler
 */
import { ServerBuilder } from "../../core/builder.js";
import { type Reply, replyText } from "../../core/receive.js";
import type { Server, ToolMap } from "../../core/server.js";
import { encodeUtf8 } from "../../internal/utf8.js";
import type { HttpHeaders, HttpRequest, HttpSink, SseSink } from "../http/exchange-types.js";
import type { HttpOptions } from "../http/options.js";
import { HttpPipeline } from "../http/pipeline.js";
import { formatAnnouncement, formatEvent, formatPriming, KEEP_ALIVE, SSE_HEADERS } from "../http/sse.js";
import { StallWatch } from "../http/stall-watch.js";

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
  server: Server<Context, Tools> | ServerBuilder<Context, Tools>,
  options: HttpOptions<Context> = {},
): FetchHandler {
  const built = server instanceof ServerBuilder ? server.build() : server;
  const pipeline = new HttpPipeline<Context>(built, options);
  const { maxQueueBytes } = pipeline.options;
  const handler = (request: Request) =>
    new Promise<Response>((resolve) => {
      const gone = new AbortController();
      request.signal.addEventListener("abort", () => gone.abort(request.signal.reason));
      pipeline.take(new WebRequest(request, gone.signal), new WebSink(resolve, gone, maxQueueBytes));
    });
  return Object.assign(handler, { close: (graceMs = 10_000) => pipeline.drain(graceMs) });
}

class WebRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly #request: Request;
  readonly #host: string;

  constructor(request: Request, signal: AbortSignal) {
    const { host, pathname, search } = new URL(request.url);
    this.method = request.method;
    this.url = pathname + search;
    this.signal = signal;
    this.#request = request;
    this.#host = host;
  }

  get isGone(): boolean {
    return this.signal.aborted;
  }

  /** A `Request` may be made without a Host header; its URL then has the host. */
  readonly header = (name: string): string | null =>
    this.#request.headers.get(name) ?? (name === "host" ? this.#host : null);

  readBody(limit: number, onBody: (body: string | Uint8Array | undefined) => void, onGone: () => void): void {
    this.#read(limit).then(onBody, onGone);
  }

  async #read(limit: number): Promise<Uint8Array | undefined> {
    if (Number(this.#request.headers.get("content-length") ?? 0) > limit) return undefined;
    const { body } = this.#request;
    if (body === null) return new Uint8Array(0);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      size += chunk.length;
      if (size > limit) return undefined;
      chunks.push(chunk);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }
}

class WebSink implements HttpSink {
  readonly #resolve: (response: Response) => void;
  readonly #gone: AbortController;
  readonly #maxQueueBytes: number;

  constructor(resolve: (response: Response) => void, gone: AbortController, maxQueueBytes: number) {
    this.#resolve = resolve;
    this.#gone = gone;
    this.#maxQueueBytes = maxQueueBytes;
  }

  reply(status: number, reply: Reply, headers?: HttpHeaders): void {
    this.json(status, replyText(reply), headers);
  }

  json(status: number, text: string, headers: HttpHeaders = {}): void {
    this.#resolve(
      new Response(text, { status, headers: { ...headers, "content-type": "application/json" } }),
    );
  }

  empty(status: number, headers: HttpHeaders = {}): void {
    this.#resolve(new Response(null, { status, headers: { ...headers } }));
  }

  stream(headers: HttpHeaders = {}): SseSink {
    const sink = new WebSseSink(this.#gone, this.#maxQueueBytes);
    this.#resolve(new Response(sink.body, { status: 200, headers: { ...headers, ...SSE_HEADERS } }));
    return sink;
  }

  abandon(): void {
    this.#resolve(new Response(null, { status: 499 }));
  }
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
