/**
 * @fileoverview One client on a pair of byte streams: a message on each line, in both directions, for as long as the
 * input lasts.
 * @module transport/stdio/serve-stdio
 */
import type { Readable, Writable } from "node:stream";
import { Connection, type ConnectionOptions } from "../../core/wire/connection.js";
import type { Exchange } from "../../core/wire/exchange.js";
import { receiveParsed } from "../../core/wire/receive.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { isPromise } from "@tenon/internal/maybe-promise";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { DEFAULT_LIMITS, type MessageLimits, type ParseOutcome, parseFrame } from "../../protocol/index.js";
import { FrameSplitter } from "./frames.js";
import { LineWriter } from "./line-writer.js";

/** The streams, and what is known of the client at their other end. */
export interface StdioOptions<Context> {
  /** Where messages come from; paused while the client does not read what it asked for. */
  readonly input: Readable;
  /** Where messages go. It stays open at the end, and nothing else may write to it. */
  readonly output: Writable;
  /** The application's value for every request. */
  readonly context?: Context;
  readonly limits?: MessageLimits;
  readonly connection?: ConnectionOptions;
  /**
   * Most bytes that may wait for a client that does not read; then the connection is closed.
   * @default 67108864
   */
  readonly maxQueueBytes?: number;
  /** Told of problems of the wire itself, never of message contents. */
  readonly onError?: (error: unknown) => void;
}

/** An open wire. */
export interface StdioTransport {
  readonly connection: Connection;
  /** Resolves when the wire has ended, for whatever reason; never rejects. */
  readonly closed: Promise<void>;
  /** Ends the wire: calls under way are cancelled, and what is already said is written. */
  close(): Promise<void>;
}

/**
 * Serves one client, until its input ends, the output fails or the wire is closed.
 *
 * @example
 * const wire = serveStdio(server, { input: process.stdin, output: process.stdout });
 * await wire.closed;
 */
export function serveStdio<Context>(
  server: Pick<HostedServer<Context>, "handle" | "attach">,
  options: StdioOptions<Context>,
): StdioTransport {
  return new StdioConnection(server, options);
}

/** How long a client that no longer sends may take to read the rest. */
const PATIENCE_MS = 500;

class StdioConnection<Context> implements StdioTransport {
  readonly connection: Connection;
  readonly closed: Promise<void>;
  readonly #server: Pick<HostedServer<Context>, "handle" | "attach">;
  readonly #options: StdioOptions<Context>;
  readonly #limits: MessageLimits;
  readonly #exchange: Exchange & { messageLength: number };
  readonly #frames: FrameSplitter;
  readonly #lines: LineWriter;
  readonly #detach: () => void;
  #open = true;
  #whenClosed = () => {};

  constructor(server: Pick<HostedServer<Context>, "handle" | "attach">, options: StdioOptions<Context>) {
    const { input, output, limits = DEFAULT_LIMITS } = options;
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

  close(): Promise<void> {
    if (this.#open) {
      this.#open = false;
      void this.#end();
    }
    return this.closed;
  }

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
    // Where there is no context, the server's handlers were written for none.
    const context = this.#options.context as Context;
    const parsed = parseFrame(frame, this.#limits, this.#frames.isPlain);
    // The core reads it before anything else is answered.
    this.#exchange.messageLength = frame.length / batchSize(parsed);
    const reply = receiveParsed(this.#server, parsed, context, this.#exchange, this.#limits);
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
    this.#whenClosed();
  }
}

/** Number of messages in a frame, so that each counts with its share of the length. */
function batchSize(parsed: ParseOutcome): number {
  return parsed.ok && Array.isArray(parsed.value) ? Math.max(parsed.value.length, 1) : 1;
}
