/**
 * @fileoverview One client on a pair of byte streams: a message on each line, in both directions, for as long as the
 * input lasts.
 * @module transport/stdio/stdio-connection
 */
import type { Readable, Writable } from "node:stream";
import { Connection, type ConnectionOptions } from "../../core/wire/connection.js";
import type { Exchange } from "../../core/wire/exchange.js";
import { type Delivery, receiveParsed } from "../../core/wire/receive.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { isPromise } from "@tenon/internal/maybe-promise";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { DEFAULT_LIMITS, type MessageLimits, type ParseOutcome, parseFrame } from "../../protocol/index.js";
import { FrameSplitter } from "./frames.js";
import { LineWriter } from "./line-writer.js";

/** The streams of a connection, and its settings. */
export interface StdioConnectionOptions<Context> {
  readonly input: Readable;
  readonly output: Writable;
  readonly context?: Context;
  readonly limits?: Partial<MessageLimits>;
  readonly connection?: ConnectionOptions;
  readonly maxQueueBytes?: number;
  readonly onError?: (error: unknown) => void;
  /** Runs at the end, before `closed` resolves. */
  readonly onClosed: (() => void) | undefined;
}

/** Time for a client that no longer sends to read the rest, in milliseconds. */
const PATIENCE_MS = 500;

/** A server's connection to one client. */
export class StdioConnection<Context> {
  readonly connection: Connection;
  readonly closed: Promise<void>;
  readonly #server: HostedServer<Context>;
  readonly #options: StdioConnectionOptions<Context>;
  readonly #limits: MessageLimits;
  readonly #exchange: Exchange & { messageLength: number };
  readonly #delivery: Delivery<Context>;
  readonly #frames: FrameSplitter;
  readonly #lines: LineWriter;
  readonly #detach: () => void;
  #open = true;
  #whenClosed = () => {};

  constructor(server: HostedServer<Context>, options: StdioConnectionOptions<Context>) {
    const { input, output } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const connection = new Connection(options.connection);
    const { maxQueueBytes = 64 * 1_048_576 } = options;
    const lines = new LineWriter(output, () => {
      input.pause();
      if (output.writableLength > maxQueueBytes) {
        this.#onError(
          new Error(`The client has not read ${output.writableLength} bytes; the connection is closed`),
        );
      }
    });
    const notify: Exchange["notify"] = (notification) => lines.notify(notification);
    this.connection = connection;
    this.closed = new Promise((resolve) => {
      this.#whenClosed = resolve;
    });
    this.#server = server;
    this.#options = options;
    this.#limits = limits;
    this.#frames = new FrameSplitter(limits.maxBytes);
    this.#lines = lines;
    this.#exchange = {
      connection,
      notify,
      messageLength: 0,
      request(request, signal) {
        // What cannot be JSON must fail here: once asked, it would wait for an answer that never comes.
        JSON.stringify(request);
        const { message, answer } = connection.ask(request, signal);
        lines.ask(message);
        return answer;
      },
    };
    // Without a context, the server's handlers were written for none.
    this.#delivery = { context: options.context as Context, exchange: this.#exchange, limits };
    this.#detach = server.attach(connection, notify);
    // The listeners for errors stay for good: a stream that was given up may still fail.
    input
      .on("error", this.#onError)
      .on("data", this.#onData)
      .on("end", this.#onEnd)
      .on("close", this.#onGone);
    output.on("error", this.#onError).on("drain", this.#onDrain).on("close", this.#onGone);
    if (input.readable && output.writable) input.resume();
    else void this.close();
  }

  /** Ends the connection. A property, so that it can be taken off the object. */
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

  /** Answers what has arrived, as far as the client reads the answers; the rest waits where it is. */
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
    const parsed = parseFrame(frame, this.#limits, this.#frames.isPlain);
    // The core reads it before anything else is answered.
    this.#exchange.messageLength = frame.length / batchSize(parsed);
    const reply = receiveParsed(this.#server, parsed, this.#delivery);
    if (isPromise(reply)) void reply.then((settled) => this.#lines.reply(settled));
    else this.#lines.reply(reply);
  }

  async #end(): Promise<void> {
    const { input, output } = this.#options;
    input.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onGone).pause();
    // A call that needs no more than a moment is answered still.
    await new Promise((resolve) => setImmediate(resolve));
    this.#detach();
    this.connection.close();
    await this.#lines.stop(PATIENCE_MS);
    output.off("drain", this.#onDrain).off("close", this.#onGone);
    this.#options.onClosed?.();
    this.#whenClosed();
  }
}

/** Number of messages in a frame, so that each counts with its share of the length. */
function batchSize(parsed: ParseOutcome): number {
  return parsed.ok && Array.isArray(parsed.value) ? Math.max(parsed.value.length, 1) : 1;
}
