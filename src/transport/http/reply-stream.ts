/**
 * @fileoverview The reply to one request: plain JSON if nothing has to be said before it, an event stream otherwise,
 * and an event stream with keep-alives if it takes long. To the core it is the exchange of that request.
 * @module transport/http/reply-stream
 */
import type { Connection } from "../../core/connection.js";
import type { Auth, Exchange } from "../../core/exchange.js";
import { isBatch, type Reply } from "../../core/receive.js";
import type { JsonRpcNotification } from "../../protocol/index.js";
import type { EventStream } from "../../session/event-stream.js";
import type { HttpTurn, SseSink } from "./turn.js";
import type { ResolvedHttpOptions } from "./options.js";

type Timing = Pick<ResolvedHttpOptions<unknown>, "ports" | "streamAfterMs" | "keepAliveMs" | "retryMs">;

/**
 * One reply on its way. Methods, not functions made for each request: most replies are one piece of JSON, and a
 * closure for what they could have said besides would cost more than the reply.
 */
export class ReplyStream<Context> implements Exchange {
  readonly connection: Connection;
  readonly auth: Auth | undefined;
  readonly turn: HttpTurn<Context>;
  readonly #timing: Timing;
  #log: EventStream | undefined;
  #live: SseSink | undefined;
  #stopTimer: (() => void) | undefined;
  #done = false;

  constructor(turn: HttpTurn<Context>, timing: Timing, connection: Connection) {
    this.turn = turn;
    this.#timing = timing;
    this.connection = connection;
    this.auth = turn.caller.auth;
  }

  notify(notification: JsonRpcNotification): Promise<void> | undefined {
    return this.send(JSON.stringify(notification));
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
    if (!this.canPoll() || this.#done) return;
    this.#open();
    this.#log?.hangUp();
  }

  /** Sends the reply, and ends. */
  finish(reply: Reply): void {
    if (this.#done) return;
    this.#done = true;
    this.#stopTimer?.();
    const live = this.#log ?? this.#live;
    if (live === undefined) {
      this.#sendWhole(reply);
      return;
    }
    for (const response of isBatch(reply) ? reply : [reply]) {
      if (response.isNotification()) continue;
      void (this.#log === undefined
        ? this.#live?.write(response.toText())
        : this.#log.push(response.toText()));
    }
    live.end();
  }

  /** Where a client that was cut off finds the rest; there is no such place unless a session has one. */
  protected openLog(): EventStream | undefined {
    return undefined;
  }

  /** Whether the client knows how to come back to a stream that the server ended. */
  protected canPoll(): boolean {
    return false;
  }

  #sendWhole(reply: Reply): void {
    const { turn } = this;
    if (isBatch(reply)) {
      if (reply.length === 0) turn.empty(202);
      else turn.reply(200, reply);
    } else if (reply.isNotification()) {
      // A request that was cancelled has nobody who waits for its reply.
      turn.abandon();
    } else {
      turn.reply(reply.status, reply);
    }
  }

  #open(): void {
    if (this.#live !== undefined || this.#done) return;
    this.#stopTimer?.();
    const live = this.turn.stream();
    this.#live = live;
    this.#stopTimer = startKeepAlive(live, this.#timing);
    const log = this.openLog();
    if (log === undefined) return;
    this.#log = log;
    if (this.canPoll()) live.prime(log.nextId, this.#timing.retryMs);
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
