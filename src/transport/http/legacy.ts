/**
 * @fileoverview The legacy revisions over HTTP: sessions that open with `initialize`, streams that can be resumed, or
 * requests that each stand alone.
 * @module transport/http/legacy
 */
import { Connection } from "../../core/connection.js";
import type { Exchange } from "../../core/exchange.js";
import { type Reply, receiveValue } from "../../core/receive.js";
import { newErrorResponse } from "../../core/response.js";
import type { WireServer } from "../../core/server.js";
import { isPromise, type MaybePromise } from "../../internal/maybe-promise.js";
import {
  isRevisionOf,
  McpError,
  messageKind,
  PROTOCOL_VERSION,
  type Revision,
  TRAITS,
} from "../../protocol/index.js";
import type { Session } from "../../session/session.js";
import { SessionStore } from "../../session/session-store.js";
import type { Caller, HttpHeaders, HttpTurn } from "./exchange-types.js";
import type { ResolvedHttpOptions } from "./options.js";
import { ReplyStream, startKeepAlive } from "./reply-stream.js";
import type { ServerSource } from "./server-source.js";

/** Serves the legacy revisions on one endpoint. */
export class LegacyEndpoint<Context> {
  readonly #source: ServerSource<Context>;
  readonly #servers = new WeakMap<Session, WireServer<Context>>();
  readonly #options: ResolvedHttpOptions<Context>;
  readonly #sessions: SessionStore;

  constructor(source: ServerSource<Context>, options: ResolvedHttpOptions<Context>) {
    this.#source = source;
    this.#options = options;
    this.#sessions = new SessionStore(options.ports, options.sessions);
  }

  /** The sessions of this endpoint. */
  get sessions(): SessionStore {
    return this.#sessions;
  }

  /** Takes a posted message or batch. */
  async post(value: unknown, turn: HttpTurn, caller: Caller<Context>): Promise<void> {
    const revision = readRevision(turn);
    if (revision === undefined) return;
    if (!this.#options.stateful) {
      await this.#answerAlone(value, revision, turn, caller);
      return;
    }
    if (isInitialize(value)) {
      await this.#open(value, turn, caller);
      return;
    }
    const session = this.#find(turn, caller);
    if (session !== undefined) await this.#answerIn(session, value, turn, caller);
  }

  /** Opens the stream for what the server sends unasked, or goes on where the client was cut off. */
  listen(turn: HttpTurn, caller: Caller<Context>): void {
    const { request, sink, headers } = turn;
    if (!this.#options.stateful) return sink.empty(405, { ...headers, allow: "POST" });
    if (!/text\/event-stream|\*\/\*/i.test(request.header("accept") ?? "")) {
      return refuse(turn, 406, "Accept must allow text/event-stream");
    }
    const session = readRevision(turn) && this.#find(turn, caller);
    if (session === undefined) return undefined;
    const lastEventId = request.header("last-event-id") ?? undefined;
    // 204 tells an event source to stop: a stream that just ended would make it come back for ever.
    if (lastEventId !== undefined && session.isOver(lastEventId)) return sink.empty(204, headers);
    const live = sink.stream(headers);
    // What the client missed is gone: it starts anew, as the specification has it for streams that cannot be resumed.
    const stream = lastEventId === undefined ? undefined : session.resume(lastEventId, live);
    if (stream === undefined) {
      if (canPoll(session.connection)) live.prime(session.main.nextId, this.#options.retryMs);
      session.main.attach(live);
    }
    const listening = stream ?? session.main;
    live.onClose(() => listening.detach(live));
    if (!listening.isEnded) startKeepAlive(live, this.#options);
    return undefined;
  }

  /** Ends a session. */
  end(turn: HttpTurn, caller: Caller<Context>): void {
    const { sink, headers } = turn;
    if (!this.#options.stateful) return sink.empty(405, { ...headers, allow: "POST" });
    const session = readRevision(turn) && this.#find(turn, caller);
    if (session === undefined) return undefined;
    this.#sessions.end(session.id);
    return sink.empty(204, headers);
  }

  /** Opens a session, here or for a wire beside this one; refuses the request where there can be none. */
  async openSession(turn: HttpTurn, caller: Caller<Context>): Promise<Session | undefined> {
    const session = this.#sessions.open(caller.auth?.principal);
    if (session === undefined) {
      refuse(turn, 503, "Too many sessions", { "retry-after": "10" });
      return undefined;
    }
    try {
      const server = await this.#source.open(session.id);
      this.#servers.set(session, server);
      session.onClose(
        server.attach(session.connection, (notification) => session.main.push(JSON.stringify(notification))),
      );
      return session;
    } catch (error) {
      this.#sessions.end(session.id);
      refuse(
        turn,
        409,
        error instanceof McpError ? error.message : "There is no server for one more session",
      );
      return undefined;
    }
  }

  /** The server of a session. */
  serverOf(session: Session): WireServer<Context> {
    const server = this.#servers.get(session) ?? this.#source.shared;
    if (server === undefined) throw new Error("a session without a server");
    return server;
  }

  async #open(value: unknown, turn: HttpTurn, caller: Caller<Context>): Promise<void> {
    const session = await this.openSession(turn, caller);
    if (session === undefined) return;
    const headers = { ...turn.headers, "mcp-session-id": session.id };
    await this.#answerIn(session, value, { ...turn, headers }, caller);
  }

  async #answerIn(session: Session, value: unknown, turn: HttpTurn, caller: Caller<Context>): Promise<void> {
    const { connection } = session;
    const stream = new ReplyStream(turn.sink, turn.headers, this.#options, {
      open: () => session.openStream(),
      canPoll: () => canPoll(connection),
    });
    const exchange: Exchange = {
      connection,
      auth: caller.auth,
      notify: (notification) => stream.send(JSON.stringify(notification)),
      hangUp: () => stream.hangUp(),
      async request(question, signal) {
        const { message, answer } = connection.ask(question, signal);
        await stream.send(JSON.stringify(message));
        return answer;
      },
    };
    await this.#answer(this.serverOf(session), value, turn, { caller, exchange, stream });
  }

  /** A request that stands alone: a server of its own, where there is none that everybody shares, lives as long. */
  async #answerAlone(
    value: unknown,
    revision: Revision,
    turn: HttpTurn,
    caller: Caller<Context>,
  ): Promise<void> {
    const connection = new Connection({ era: "legacy", revision, pushes: false });
    const stream = new ReplyStream(turn.sink, turn.headers, this.#options);
    const notify: NonNullable<Exchange["notify"]> = (notification) =>
      stream.send(JSON.stringify(notification));
    const { shared } = this.#source;
    const server = shared ?? (await this.#source.open("stateless"));
    const release = shared === undefined ? server.attach(connection, notify) : undefined;
    try {
      const exchange = { connection, auth: caller.auth, notify };
      await this.#answer(server, value, turn, { caller, exchange, stream });
    } finally {
      release?.();
    }
  }

  /** Answers in whatever form fits: 202 for what needs no reply, JSON, or a stream. */
  async #answer(
    server: WireServer<Context>,
    value: unknown,
    turn: HttpTurn,
    { caller, exchange, stream }: { caller: Caller<Context>; exchange: Exchange; stream: ReplyStream },
  ): Promise<void> {
    const { limits } = this.#options;
    const reply: MaybePromise<Reply> = receiveValue(server, value, caller.context, exchange, limits);
    if (!Array.isArray(value) && messageKind(value) !== "request" && messageKind(value) !== "invalid") {
      turn.sink.empty(202, turn.headers);
      return;
    }
    if (isPromise(reply)) stream.expectDelay();
    stream.finish(await reply);
  }

  /** The session that a request names, or the refusal that says why there is none. */
  #find(turn: HttpTurn, caller: Caller<Context>): Session | undefined {
    const id = turn.request.header("mcp-session-id") ?? undefined;
    if (id === undefined) {
      refuse(turn, 400, "Mcp-Session-Id header is required; open a session with initialize");
      return undefined;
    }
    const session = this.#sessions.find(id, caller.auth?.principal);
    if (session === undefined) refuse(turn, 404, "Session not found; open a new one with initialize");
    return session;
  }
}

/** The revision that a request's header names, or the one assumed without it; refuses one that is not spoken. */
function readRevision(turn: HttpTurn): Revision | undefined {
  const named = turn.request.header("mcp-protocol-version")?.trim();
  if (named === undefined) return PROTOCOL_VERSION;
  if (isRevisionOf("legacy", named)) return named;
  const refusal = newErrorResponse(null, "UNSUPPORTED_VERSION", "Unsupported protocol version");
  turn.sink.reply(400, refusal, turn.headers);
  return undefined;
}

/** Whether the client knows that a stream may be let go, and when to come back. */
function canPoll({ revision }: Connection): boolean {
  return TRAITS[revision].icons;
}

function isInitialize(value: unknown): boolean {
  return messageKind(value) === "request" && (value as { readonly method: string }).method === "initialize";
}

/** Refuses a request on the level of HTTP, in words that a JSON-RPC client can show. */
export function refuse(
  { sink, headers }: HttpTurn,
  status: number,
  reason: string,
  extra: HttpHeaders = {},
): void {
  sink.reply(status, newErrorResponse(null, "INVALID_REQUEST", reason), { ...headers, ...extra });
}
