/**
 * @fileoverview The reply to one request: plain JSON if nothing has to be said before it, an event stream otherwise,
 * and an event stream with keep-alives if it takes long.
 * @module transport/http/reply-stream
 */
import type { Reply } from "../../core/receive.js";
import type { McpResponse } from "../../core/response.js";
import type { EventStream } from "../../session/event-stream.js";
import type { HttpHeaders, HttpSink, SseSink } from "./exchange-types.js";
import type { ResolvedHttpOptions } from "./options.js";

type Timing = Pick<ResolvedHttpOptions<unknown>, "ports" | "streamAfterMs" | "keepAliveMs" | "retryMs">;

/** Where a client that was cut off finds the rest; there are none in the stateless era. */
export interface ReplyLogs {
  open(): EventStream;
  /** Whether the client knows how to come back to a stream that the server ended. */
  canPoll(): boolean;
}

/** One reply on its way. */
export class ReplyStream {
  readonly #sink: HttpSink;
  readonly #headers: HttpHeaders;
  readonly #timing: Timing;
  readonly #logs: ReplyLogs | undefined;
  #log: EventStream | undefined;
  #live: SseSink | undefined;
  #stopTimer: (() => void) | undefined;
  #done = false;

  constructor(sink: HttpSink, headers: HttpHeaders, timing: Timing, logs?: ReplyLogs) {
    this.#sink = sink;
    this.#headers = headers;
    this.#timing = timing;
    this.#logs = logs;
  }

  /** Sends a message ahead of the reply. */
  send(text: string): Promise<void> | undefined {
    if (this.#done) return undefined;
    this.#open();
    return this.#log === undefined ? this.#live?.write(text) : this.#log.push(text);
  }

  /** Opens the stream if the reply takes long. */
  expectDelay(): void {
    const { ports, streamAfterMs } = this.#timing;
    this.#stopTimer ??= ports.startTimer(() => this.#open(), streamAfterMs, true);
  }

  /** Lets a client go that comes back for the rest. Without a log there is no rest to come back for. */
  hangUp(): void {
    if (this.#logs?.canPoll() !== true || this.#done) return;
    this.#open();
    this.#log?.hangUp();
  }

  /** Sends the reply, and ends. */
  finish(reply: Reply): void {
    if (this.#done) return;
    this.#done = true;
    this.#stopTimer?.();
    const responses = isBatch(reply) ? reply : [reply];
    const live = this.#log ?? this.#live;
    if (live === undefined) {
      this.#sendWhole(reply, responses);
      return;
    }
    for (const response of responses) {
      if (response.isNotification()) continue;
      void (this.#log === undefined
        ? this.#live?.write(response.toText())
        : this.#log.push(response.toText()));
    }
    live.end();
  }

  #sendWhole(reply: Reply, responses: readonly McpResponse[]): void {
    const [first] = responses;
    if (first === undefined) this.#sink.empty(202, this.#headers);
    else if (isBatch(reply)) this.#sink.reply(200, reply, this.#headers);
    // A request that was cancelled has nobody who waits for its reply.
    else if (first.isNotification()) this.#sink.abandon();
    else this.#sink.reply(first.status, first, this.#headers);
  }

  #open(): void {
    if (this.#live !== undefined || this.#done) return;
    this.#stopTimer?.();
    const live = this.#sink.stream(this.#headers);
    this.#live = live;
    this.#stopTimer = startKeepAlive(live, this.#timing);
    if (this.#logs === undefined) return;
    const log = this.#logs.open();
    this.#log = log;
    if (this.#logs.canPoll()) live.prime(log.nextId, this.#timing.retryMs);
    log.attach(live);
    live.onClose(() => log.detach(live));
  }
}

/** Keeps a stream open for as long as it is; the function returned ends that. */
export function startKeepAlive(live: SseSink, { ports, keepAliveMs }: Timing): () => void {
  let stop = () => {};
  const again = () => {
    stop = ports.startTimer(
      () => {
        live.keepAlive();
        again();
      },
      keepAliveMs,
      true,
    );
  };
  again();
  live.onClose(() => stop());
  return () => stop();
}

function isBatch(reply: Reply): reply is readonly McpResponse[] {
  return Array.isArray(reply);
}
