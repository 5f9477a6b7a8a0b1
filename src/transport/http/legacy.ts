/**
 * @fileoverview The legacy revisions over HTTP: sessions that open with `initialize`, streams that can be resumed, or
 * requests that each stand alone.
 * @module transport/http/legacy
 */
import { Connection } from "../../core/connection.js";
import type { ClientRequest } from "../../core/caller.js";
import type { Auth } from "../../core/exchange.js";
import { receiveValue } from "../../core/receive.js";
import { newErrorResponse } from "../../core/response.js";
import type { WireServer } from "../../core/server.js";
import { isPromise, type MaybePromise } from "../../internal/maybe-promise.js";
import {
  isRevisionOf,
  McpError,
  type MessageKind,
  PROTOCOL_VERSION,
  type Revision,
  TRAITS,
} from "../../protocol/index.js";
import type { EventStream } from "../../session/event-stream.js";
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
  post(
    value: unknown,
    kind: MessageKind | "batch",
    turn: HttpTurn,
    caller: Caller<Context>,
  ): MaybePromise<void> {
    const revision = readRevision(turn);
    if (revision === undefined) return undefined;
    const posted = { value, needsReply: kind !== "notification" && kind !== "response" };
    if (!this.#options.stateful) return this.#answerAlone(posted, revision, turn, caller);
    if (kind === "request" && isInitialize(value)) return this.#open(posted, turn, caller);
    const session = this.#find(turn, caller);
    return session && this.#answerIn(session, posted, turn, caller);
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
    const server = this.#source.shared ?? this.#servers.get(session);
    if (server === undefined) throw new Error("a session without a server");
    return server;
  }

  async #open(posted: Posted, turn: HttpTurn, caller: Caller<Context>): Promise<void> {
    const session = await this.openSession(turn, caller);
    if (session === undefined) return;
    const headers = { ...turn.headers, "mcp-session-id": session.id };
    await this.#answerIn(session, posted, { ...turn, headers }, caller);
  }

  #answerIn(session: Session, posted: Posted, turn: HttpTurn, caller: Caller<Context>): MaybePromise<void> {
    const stream = new SessionReply(session, turn, this.#options, caller.auth);
    return this.#answer(this.serverOf(session), posted, stream, turn, caller);
  }

  #answerAlone(
    posted: Posted,
    revision: Revision,
    turn: HttpTurn,
    caller: Caller<Context>,
  ): MaybePromise<void> {
    const connection = new Connection({ era: "legacy", revision, pushes: false });
    const stream = new ReplyStream(turn, this.#options, connection, caller.auth);
    const { shared } = this.#source;
    return shared === undefined
      ? this.#answerOnce(posted, stream, turn, caller)
      : this.#answer(shared, posted, stream, turn, caller);
  }

  /** Answers with a server of the request's own, which lives as long. */
  async #answerOnce(
    posted: Posted,
    stream: ReplyStream,
    turn: HttpTurn,
    caller: Caller<Context>,
  ): Promise<void> {
    const server = await this.#source.open("stateless");
    const release = server.attach(stream.connection, (notification) => stream.notify(notification));
    try {
      await this.#answer(server, posted, stream, turn, caller);
    } finally {
      release();
    }
  }

  /** Answers in whatever form fits: 202 for what needs no reply, JSON, or a stream. */
  #answer(
    server: WireServer<Context>,
    { value, needsReply }: Posted,
    stream: ReplyStream,
    turn: HttpTurn,
    caller: Caller<Context>,
  ): MaybePromise<void> {
    const reply = receiveValue(server, value, caller.context, stream, this.#options.limits);
    if (!needsReply) {
      turn.sink.empty(202, turn.headers);
      return undefined;
    }
    if (!isPromise(reply)) {
      stream.finish(reply);
      return undefined;
    }
    stream.expectDelay();
    return reply.then((late) => stream.finish(late));
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

/** What was posted, and whether somebody waits for an answer to it. */
interface Posted {
  readonly value: unknown;
  readonly needsReply: boolean;
}

/** A reply in a session: it can ask the client, and leaves a log for one that was cut off. */
class SessionReply extends ReplyStream {
  readonly #session: Session;

  constructor(
    session: Session,
    turn: HttpTurn,
    options: ResolvedHttpOptions<unknown>,
    auth: Auth | undefined,
  ) {
    super(turn, options, session.connection, auth);
    this.#session = session;
  }

  async request(question: ClientRequest, signal: AbortSignal): Promise<unknown> {
    const { message, answer } = this.connection.ask(question, signal);
    await this.send(JSON.stringify(message));
    return answer;
  }

  protected override openLog(): EventStream {
    return this.#session.openStream();
  }

  protected override canPoll(): boolean {
    return canPoll(this.connection);
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
  return (value as { readonly method: string }).method === "initialize"; // its kind was checked
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
