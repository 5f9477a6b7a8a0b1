/**
 * @fileoverview Connection to one client on a pair of byte streams: one message per line, in both directions.
 * @module tenon/transport/stdio/stdio-connection
 */
import type { Readable, Writable } from "node:stream";
import { Connection } from "../../core/wire/connection.js";
import type { Exchange } from "../../core/wire/exchange.js";
import { type Delivery, receiveParsed } from "../../core/wire/receive.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { isPromise } from "@tenon/internal/maybe-promise";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { ERRORS, parseFrame } from "../../protocol/index.js";
import type { ParseOutcome } from "../../protocol/parse.js";
import { FrameSplitter } from "./frames.js";
import { LineWriter } from "./line-writer.js";
import type { StdioSettings } from "./stdio-options.js";

/** Streams and options for a connection. */
export interface StdioConnectionOptions extends Omit<StdioSettings, "signals" | "banner"> {
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to `output`. */
  readonly write: Writable["write"];
  /** Runs at the end, before `closed` resolves. */
  readonly onClosed: () => Promise<void> | void;
}

/** Error of a request to the client that does not fit in the queue. */
const NOT_SENT = { code: ERRORS.SERVICE_UNAVAILABLE.rpc, message: "The request was not sent." };

/** Time in milliseconds that a client has to read the remaining output after its input ends. */
const PATIENCE_MS = 500;

/** Server-side connection to one client. */
export class StdioConnection<Context> {
  readonly connection: Connection;
  readonly closed: Promise<void>;
  readonly #server: HostedServer<Context>;
  readonly #options: StdioConnectionOptions;
  readonly #exchange: Exchange & { messageLength: number };
  readonly #delivery: Delivery<Context>;
  readonly #frames: FrameSplitter;
  readonly #lines: LineWriter;
  readonly #detach: () => void;
  #open = true;
  #whenClosed = () => {};

  constructor(server: HostedServer<Context>, options: StdioConnectionOptions) {
    const { input, output, limits, maxQueueBytes } = options;
    const connection = new Connection(options.connection);
    const lines = new LineWriter(output, {
      send: options.write,
      onFull: () => void input.pause(),
      maxBytes: maxQueueBytes,
      onRefused: (error) => options.onError?.(error),
    });
    const notify: Exchange["notify"] = (notification) => lines.send(notification);
    this.connection = connection;
    this.closed = new Promise((resolve) => {
      this.#whenClosed = resolve;
    });
    this.#server = server;
    this.#options = options;
    this.#frames = new FrameSplitter(limits.maxBytes);
    this.#lines = lines;
    this.#exchange = {
      connection,
      notify,
      messageLength: 0,
      request(request, signal) {
        // Fail before the request is registered: otherwise, a request that cannot be serialized would wait
        // forever.
        JSON.stringify(request);
        const { message, answer } = connection.ask(request, signal);
        try {
          void lines.send(message);
        } catch (error) {
          // Without a response, the request would wait forever.
          connection.settle({ jsonrpc: "2.0", id: message.id ?? null, error: NOT_SENT });
          throw error;
        }
        return answer;
      },
    };
    // Safe: the context is undefined only if the server does not declare one.
    this.#delivery = { context: options.context as Context, exchange: this.#exchange, limits };
    this.#detach = server.attach(connection, notify);
    // The error listeners are never removed: a stream may still fail after the connection has ended.
    input
      .on("error", this.#onError)
      .on("data", this.#onData)
      .on("end", this.#onEnd)
      .on("close", this.#onGone);
    output.on("error", this.#onError).on("drain", this.#onDrain).on("close", this.#onGone);
    if (input.readable && output.writable) input.resume();
    else void this.close();
  }

  /** Closes the connection. Bound to the instance, so that it can be passed as a callback. */
  readonly close = (): Promise<void> => {
    if (this.#open) {
      this.#open = false;
      void this.#end();
    }
    return this.closed;
  };

  readonly #onData = (chunk: Uint8Array | string): void => {
    this.#frames.push(typeof chunk === "string" ? encodeUtf8(chunk) : chunk);
    this.#readOn();
  };

  readonly #onDrain = (): void => {
    this.#lines.resume();
    this.#readOn();
  };

  readonly #onEnd = (): void => {
    this.#answerFrames(() => this.#frames.next());
    this.#answerFrames(() => this.#frames.last());
    void this.close();
  };

  readonly #onError = (error: unknown): void => {
    this.#options.onError?.(error);
    void this.close();
  };

  readonly #onGone = (): void => void this.close();

  /** Handles received frames while the client reads the replies. The remaining frames stay queued. */
  #readOn(): void {
    if (!this.#open) return;
    this.#answerFrames(() => (this.#lines.isFull ? undefined : this.#frames.next()));
    if (this.#open && !this.#lines.isFull) this.#options.input.resume();
  }

  #answerFrames(next: () => string | Uint8Array | undefined): void {
    this.#lines.together(() => {
      while (this.#open) {
        const frame = next();
        if (frame === undefined) return;
        this.#answer(frame);
      }
    });
  }

  #answer(frame: string | Uint8Array): void {
    const { limits, oversized } = this.#options;
    const parsed = parseFrame(frame, limits, this.#frames.isPlain);
    // Text is ASCII, so its length is its size.
    if (!parsed.ok && oversized === "close" && frame.length > limits.maxBytes)
      return this.#onError(new Error(`${parsed.reason} The connection is closed.`));
    // The core reads the length before the next frame is handled.
    this.#exchange.messageLength = frame.length / batchSize(parsed);
    const reply = receiveParsed(this.#server, parsed, this.#delivery);
    if (isPromise(reply)) void reply.then((settled) => this.#lines.reply(settled));
    else this.#lines.reply(reply);
  }

  async #end(): Promise<void> {
    const { input, output } = this.#options;
    input.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onGone).pause();
    // Calls that finish within one turn of the event loop still receive a response.
    await new Promise((resolve) => setImmediate(resolve));
    this.#detach();
    this.connection.close();
    await this.#lines.stop(PATIENCE_MS);
    output.off("drain", this.#onDrain).off("close", this.#onGone);
    await this.#options.onClosed();
    this.#whenClosed();
  }
}

/** Returns the number of messages in a frame. Each message counts for an equal share of the frame's length. */
function batchSize(parsed: ParseOutcome): number {
  return parsed.ok && Array.isArray(parsed.value) ? Math.max(parsed.value.length, 1) : 1;
}
