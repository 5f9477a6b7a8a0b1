/**
 * @fileoverview `serveStdio`: serves one client over stdio, in every protocol revision.
 * @module sdk/v2/serving/serve-stdio
 */
import type { Readable, Writable } from "node:stream";
import { FrameSplitter } from "tenon/host";
import { type MessageLimits, parseFrame } from "tenon/protocol";
import { serveStdio as serveStreams } from "tenon/stdio";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { callback, custom, number, oneOf } from "@tenon/internal/options/option-rows";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { connect } from "../../adapters/connect.js";
import type { SdkTransport } from "../../adapters/sdk-shapes.js";
import { toReporter } from "./create-mcp-handler.js";
import { type McpServerFactory, toError } from "./created-server.js";
import { StdioHost } from "./stdio-host.js";
import { DEFAULT_MAX_SUBSCRIPTIONS } from "./subscriptions.js";

/** Limits of messages from the process that has started the server. As in the official SDK, only the size is limited. */
export const STDIO_LIMITS: MessageLimits = {
  maxBytes: 10 * 1_048_576,
  maxDepth: Infinity,
  maxValues: Infinity,
  maxBatch: Infinity,
};

const STDIO_OPTIONS = /* @__PURE__ */ defineOptions("serveStdio", {
  /**
   * Clients that use a legacy revision: `serve` serves them, `reject` rejects their requests.
   * @default "serve"
   */
  legacy: oneOf(["serve", "reject"], { default: "serve" }),
  /**
   * An official transport to use instead of the process's streams.
   * @default standard input and output
   */
  transport: custom<SdkTransport>(),
  /** Called with errors that no caller receives. */
  onerror: callback<(error: Error) => void>(),
  /**
   * Maximum number of open `subscriptions/listen` streams.
   * @default 1024
   */
  maxSubscriptions: number({ default: DEFAULT_MAX_SUBSCRIPTIONS }),
  /**
   * Maximum number of bytes queued on standard output for a client that is not reading. A response that does not fit is
   * replaced by an error. Not part of the official SDK.
   * @default 67108864
   */
  maxQueueBytes: number({ default: 64 * 1_048_576 }),
});

/** Options of `serveStdio`. */
export interface ServeStdioOptions extends OptionsOf<typeof STDIO_OPTIONS> {}

/** A running stdio server. */
export interface StdioServerHandle {
  /** Ends listening streams and closes the connection. */
  close(): Promise<void>;
}

/**
 * Serves one client over stdio. The factory creates the server when the client's first message arrives.
 *
 * @example serveStdio(() => createServer());
 * @throws if an option is unknown or invalid
 */
export function serveStdio(factory: McpServerFactory, options: ServeStdioOptions = {}): StdioServerHandle {
  const settings = parseOptions(STDIO_OPTIONS, options);
  const { legacy, transport, maxSubscriptions, maxQueueBytes } = settings;
  const onerror = toReporter(settings.onerror);
  const host = new StdioHost(factory, { isModernOnly: legacy === "reject", maxSubscriptions, onerror });
  const report = (error: unknown) => onerror(toError(error));
  // Without `onerror`, the reason for which a connection ends is printed to standard error.
  const onError = settings.onerror && report;
  const opened =
    transport === undefined
      ? Promise.resolve(serveStreams(host, { ...STREAMS, maxQueueBytes, onError }))
      : connect(host, transport, { onError: report }).catch(report);
  return {
    async close() {
      host.close();
      await settleWrites();
      // A transport that could not start has no connection.
      const connection = (await opened) ?? transport;
      await connection?.close().catch(report);
    },
  };
}

const STREAMS = { limits: STDIO_LIMITS, oversized: "close", banner: false } as const;

/** Waits until the final responses of listening streams have been written. */
async function settleWrites(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** Transport over standard input and output, or another pair of streams. */
export class StdioServerTransport implements SdkTransport {
  onclose: (() => void) | undefined = undefined;
  onerror: ((error: Error) => void) | undefined = undefined;
  onmessage: ((message: never, extra?: never) => void) | undefined = undefined;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #frames: FrameSplitter;
  readonly #limits: MessageLimits;
  #state: "new" | "open" | "closed" = "new";

  /** @param options `maxBufferSize` is the maximum size of one message in bytes (default: 10485760) */
  constructor(
    input: Readable = process.stdin,
    output: Writable = process.stdout,
    options: { readonly maxBufferSize?: number } = {},
  ) {
    const { maxBufferSize = STDIO_LIMITS.maxBytes } = options;
    this.#input = input;
    this.#output = output;
    this.#limits = { ...STDIO_LIMITS, maxBytes: maxBufferSize };
    this.#frames = new FrameSplitter(maxBufferSize);
  }

  /** Starts reading. `server.connect` calls it. @throws if the transport was started before */
  async start(): Promise<void> {
    if (this.#state !== "new") throw new Error("StdioServerTransport already started");
    this.#state = "open";
    this.#output.on("error", this.#onError);
    this.#input
      .on("error", this.#onError)
      .on("end", this.#onEnd)
      .on("close", this.#onEnd)
      .on("data", this.#onData);
  }

  /** Writes a message. Resolves when the stream accepts more. @throws if the transport is closed */
  async send(message: unknown): Promise<void> {
    if (this.#state === "closed") throw new Error("StdioServerTransport is closed");
    if (this.#output.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#output.off("drain", done).off("close", done).off("error", done);
        resolve();
      };
      this.#output.on("drain", done).on("close", done).on("error", done);
    });
  }

  /** Stops reading. The streams stay open. */
  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#input.off("end", this.#onEnd).off("close", this.#onEnd).off("data", this.#onData);
    // The process ends only after nobody reads standard input.
    if (this.#input.listenerCount("data") === 0) this.#input.pause();
    this.onclose?.();
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    this.#frames.push(typeof chunk === "string" ? encodeUtf8(chunk) : chunk);
    while (this.#state === "open") {
      const frame = this.#frames.next();
      if (frame === undefined) return;
      this.#take(frame);
    }
  };

  readonly #onEnd = (): void => {
    const frame = this.#frames.last();
    if (frame !== undefined) this.#take(frame);
    void this.close();
  };

  /** Stays attached after the end: a stream may still fail then, which would end the process. */
  readonly #onError = (error: Error): void => {
    if (this.#state === "closed") return;
    this.onerror?.(error);
    void this.close();
  };

  /** Passes a message on. As in the official SDK, a message that is too large closes the transport. */
  #take(frame: string | Uint8Array): void {
    const parsed = parseFrame(frame, this.#limits, this.#frames.isPlain);
    if (parsed.ok)
      this.onmessage?.(parsed.value as never); // Safe: the server checks the shape of messages
    else if (frame.length > this.#limits.maxBytes)
      this.#onError(new Error(`${parsed.reason} The transport is closed. Raise \`maxBufferSize\`.`));
    // Other lines are ignored, as in the official SDK: they are often debug output of the client.
  }
}
