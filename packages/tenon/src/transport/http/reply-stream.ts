/**
 * @fileoverview Reply to one request: plain JSON, or an event stream if messages precede the result or the call takes
 * a long time. Implements the core's `Exchange`.
 * @module tenon/transport/http/reply-stream
 */
import type { ClientRequest } from "../../core/wire/caller.js";
import { Connection } from "../../core/wire/connection.js";
import type { Auth, Exchange } from "../../core/wire/exchange.js";
import { isBatch, type Reply } from "../../core/wire/receive.js";
import { type McpResponse, newErrorResponse } from "../../core/wire/response.js";
import { isJsonObject } from "@tenon/internal/json";
import { isRequestId, type JsonRpcNotification, type RequestId, TRAITS } from "../../protocol/index.js";
import type { LegacySession, SessionStream } from "../../session/sessions.js";
import type { HttpContext, SseSink } from "./http-context.js";
import { onCredentialsEnd } from "./limits/credential-lifetime.js";
import type { ResolvedHttpOptions, UnfinishedReply } from "./options.js";
import { refuse, refuseStopping } from "./refusals.js";
import { startKeepAlive } from "./stream-life.js";

type Settings = Pick<
  ResolvedHttpOptions<unknown>,
  "ports" | "streamAfterMs" | "keepAliveMs" | "retryMs" | "authorization" | "unfinished"
>;

/**
 * Reply in progress. It uses methods instead of per-request closures, because most replies are a single JSON text and
 * unused closures would cost more than the reply. One class serves all eras, because a subclass would add a constructor
 * call to each request.
 */
export class ReplyStream<Context> implements Exchange, UnfinishedReply {
  readonly connection: Connection;
  readonly auth: Auth | undefined;
  readonly context: HttpContext<Context>;
  readonly #settings: Settings;
  /** Message or batch that the client sent. */
  posted: unknown = undefined;
  /** Session that the reply belongs to, unless the request is stateless. */
  readonly session: LegacySession | undefined;
  #log: SessionStream | undefined;
  #live: SseSink | undefined;
  #stopTimer: (() => void) | undefined;
  #scopes: string[] | undefined;
  /** State of a subscription, which ends with its caller's credentials: then it must not send more events. */
  #subscription: "none" | "open" | "over" = "none";
  #done = false;

  /** @param peer a session if the client can receive requests and resume the stream, otherwise a connection */
  constructor(context: HttpContext<Context>, settings: Settings, peer: Connection | LegacySession) {
    const isAlone = peer instanceof Connection;
    this.context = context;
    this.#settings = settings;
    this.connection = isAlone ? peer : peer.connection;
    this.auth = context.caller.auth;
    this.session = isAlone ? undefined : peer;
  }

  /**
   * Aborts when the client disconnects from a stateless request. Legacy clients send a cancellation or reconnect
   * instead.
   */
  get signal(): AbortSignal | undefined {
    return this.connection.era === "modern" ? this.context.signal : undefined;
  }

  /** Aborts when the client disconnects, in every revision. */
  get disconnected(): AbortSignal {
    return this.context.signal;
  }

  /** Calls `task` when the client disconnects. In the legacy era this does not end a call, so `task` is never called. */
  onGone(task: (reason: unknown) => void): (() => void) | undefined {
    return this.connection.era === "modern" ? this.context.onGone(task) : undefined;
  }

  /** Always false: the request runs synchronously after its last byte, so the client cannot disconnect in between. */
  get isGone(): boolean {
    return false;
  }

  /** Sends a request to the client. `undefined` without a session, because the client could not send its response. */
  get request(): Exchange["request"] {
    return this.session === undefined ? undefined : (question, signal) => this.#ask(question, signal);
  }

  get messageLength(): number {
    return this.context.messageLength;
  }

  header(name: string): string | null | undefined {
    return this.context.header(name);
  }

  notify(notification: JsonRpcNotification): Promise<void> | undefined {
    return this.send(JSON.stringify(notification));
  }

  noteScopes(scopes: readonly string[]): void {
    if (this.session !== undefined) (this.#scopes ??= []).push(...scopes);
  }

  /** Sends a message before the reply. */
  send(text: string): Promise<void> | undefined {
    if (this.#done || this.#subscription === "over") return undefined;
    this.#open();
    return this.#log === undefined ? this.#live?.write(text) : this.#log.push(text);
  }

  /**
   * Calls `task` when the caller's credentials end. From then on, nothing but the reply is sent, and events that the
   * client has not taken are dropped.
   */
  onCredentialsEnd(task: () => void): (() => void) | undefined {
    this.#subscription = "open";
    return onCredentialsEnd(this.context.caller, this.#settings.ports, () => {
      this.#subscription = "over";
      task();
    });
  }

  /** Opens the stream if the reply is not ready after `streamAfterMs`. */
  expectDelay(): void {
    const { ports, streamAfterMs, unfinished } = this.#settings;
    unfinished.add(this);
    // Hosts set the longest time if a call never opens a stream by itself.
    if (streamAfterMs >= LONGEST_TIMER_MS) return;
    this.#stopTimer ??= ports.startTimer(() => this.#open(), streamAfterMs, true);
  }

  /**
   * Disconnects the client, which reconnects to receive the remaining events. Does nothing if the stream cannot be
   * resumed.
   */
  hangUp(): void {
    if (!this.#canPoll() || this.#done) return;
    this.#open();
    this.#log?.hangUp();
  }

  /** Replies with errors. A shared session does so itself if there is a stream, which may continue on other nodes. */
  giveUp(): void {
    const isShared = this.session?.sync !== undefined;
    if (isShared && this.#log !== undefined) return;
    const replies = requestIds(this.posted).map((id) => newErrorResponse(id, "SERVICE_UNAVAILABLE", STOPPED));
    const [only] = replies;
    if (only === undefined) return;
    this.finish(Array.isArray(this.posted) ? replies : only);
    // The connection of a shared session closes after its streams have ended.
    if (!isShared) this.connection.close();
  }

  /** Sends the reply and ends the stream. */
  finish(reply: Reply): void {
    this.#settings.unfinished.delete(this);
    if (this.#done) return;
    this.#done = true;
    this.#stopTimer?.();
    const live = this.#log ?? this.#live;
    if (live === undefined) return this.#sendWhole(reply);
    if (this.#subscription === "over") {
      this.#live?.cut(isBatch(reply) || reply.isEmpty() ? undefined : reply.toText());
      return;
    }
    for (const response of isBatch(reply) ? reply : [reply]) {
      if (response.isEmpty()) continue;
      const text = response.toText();
      void (this.#log === undefined
        ? this.#live?.write(text)
        : this.#log.push(text, substituteOf(response, text.length)));
    }
    live.end();
  }

  /** Lets the caller reply with a status of its own. Returns false if an event stream is open. */
  withdraw(): boolean {
    if (this.#live !== undefined) return false;
    this.#settings.unfinished.delete(this);
    this.#done = true;
    this.#stopTimer?.();
    return true;
  }

  async #ask(question: ClientRequest, signal: AbortSignal): Promise<unknown> {
    const { message, answer } = this.connection.ask(question, signal);
    await this.send(JSON.stringify(message));
    return answer;
  }

  /** Returns true if the client can reconnect to a stream that the server closed. */
  #canPoll(): boolean {
    return this.session !== undefined && canPoll(this.connection);
  }

  #sendWhole(reply: Reply): void {
    const { context } = this;
    if (isBatch(reply)) {
      if (reply.length === 0) context.empty(202);
      else context.reply(200, reply);
    } else if (reply.isEmpty()) {
      this.#endCancelled();
    } else {
      if (reply.error === "INSUFFICIENT_SCOPE") this.#challenge(reply);
      if (reply.error === "TOO_MANY_CALLS") context.with(RETRY_LATER);
      context.reply(reply.status, reply);
    }
  }

  /**
   * Ends the HTTP response to a cancelled request, which gets no JSON-RPC response. A connection reset would look like
   * a network failure. An event stream may end without a response, and 404 tells the client that its session is over.
   */
  #endCancelled(): void {
    const { context } = this;
    if (context.isGone || this.connection.era === "modern") context.abandon();
    else if (this.session?.isLeft === true) refuseStopping(context);
    else if (this.session?.isClosed === true) refuse(context, 404, SESSION_ENDED);
    else context.stream().end();
  }

  /** Sends all required scopes in the challenge, so that the client asks its user only once. */
  #challenge(reply: McpResponse): void {
    const { errorData: data } = reply;
    const scopes = isJsonObject(data) ? data["requiredScopes"] : undefined;
    if (!Array.isArray(scopes)) return;
    const headers = this.#settings.authorization?.challenge(scopes.filter(isText), this.auth);
    if (headers !== undefined) this.context.with(headers);
  }

  #open(): void {
    if (this.#live !== undefined || this.#done) return;
    this.#stopTimer?.();
    const isShared = this.session?.sync !== undefined;
    const live = this.context.stream(isShared && this.#canPoll());
    this.#live = live;
    this.#stopTimer = startKeepAlive(live, this.#settings);
    const log = this.session?.openStream(requestIds(this.posted), (this.#scopes ??= []));
    if (log !== undefined) {
      this.#log = log;
      log.start(live, this.#canPoll() ? this.#settings.retryMs : undefined);
      live.onClose(() => log.detach(live));
    }
    if (this.#subscription === "none") this.#endIfRevoked(live);
  }

  /**
   * Ends the event stream of a call when the caller's credentials are revoked. A call in a session continues, and its
   * client can resume the stream with new credentials. A stateless call is cancelled, as if its client had disconnected.
   * The stream outlives credentials that expire, because the call was accepted while they were valid.
   */
  #endIfRevoked(live: SseSink): void {
    const { revoked } = this.context.caller;
    const stop = onCredentialsEnd({ revoked }, this.#settings.ports, () => {
      this.#log?.detach(live);
      live.cut();
      if (this.connection.era === "modern") this.connection.close();
    });
    if (stop !== undefined) live.onClose(stop);
  }
}

/** Longest time that timers support, in milliseconds. */
const LONGEST_TIMER_MS = 2_147_483_647;

const STOPPED =
  "The server has stopped before the call ended, so its outcome is unknown. Check the outcome before you retry.";

const SESSION_ENDED = "The session has ended. Send `initialize` to open a new session.";

const RETRY_LATER = { "retry-after": "1" };

/** Replies of at least this length are replaced by an error if they cannot be buffered for resumption. */
const SUBSTITUTED_LENGTH = 4_096;

/** Creates the error that a reconnecting client receives instead of a dropped reply. */
function substituteOf({ id }: McpResponse, length: number): string | undefined {
  if (length < SUBSTITUTED_LENGTH) return undefined;
  const message =
    `The response (${length} characters) is too large to buffer for a reconnect. ` +
    "Send the request again.";
  return newErrorResponse(id, "SERVICE_UNAVAILABLE", message).toText();
}

/** Returns true if the client's revision allows the server to close a stream and set a reconnect delay. */
export function canPoll({ revision }: Connection): boolean {
  return TRAITS[revision].streamPolling;
}

/** Returns the IDs of the requests in a message or batch. */
function requestIds(posted: unknown): readonly RequestId[] {
  const messages: readonly unknown[] = Array.isArray(posted) ? posted : [posted];
  return messages.map((message) => (isJsonObject(message) ? message["id"] : undefined)).filter(isRequestId);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
