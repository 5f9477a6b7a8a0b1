/**
 * @fileoverview The legacy revisions over HTTP: sessions that open with `initialize`, streams that can be resumed, or
 * requests that each stand alone.
 * @module transport/http/legacy
 */
import { Connection } from "../../core/connection.js";
import type { Exchange } from "../../core/exchange.js";
import { type Reply, receiveValue } from "../../core/receive.js";
import { newErrorResponse } from "../../core/response.js";
import type { Server } from "../../core/server.js";
import { isPromise, type MaybePromise } from "../../internal/maybe-promise.js";
import { isRevisionOf, messageKind, PROTOCOL_VERSION, type Revision, TRAITS } from "../../protocol/index.js";
import type { Session } from "../../session/session.js";
import { SessionStore } from "../../session/session-store.js";
import type { Caller, HttpHeaders, HttpTurn } from "./exchange-types.js";
import type { ResolvedHttpOptions } from "./options.js";
import { ReplyStream, startKeepAlive } from "./reply-stream.js";

/** Serves the legacy revisions on one endpoint. */
export class LegacyEndpoint<Context> {
  readonly #server: Server<Context>;
  readonly #options: ResolvedHttpOptions<Context>;
  readonly #sessions: SessionStore;

  constructor(server: Server<Context>, options: ResolvedHttpOptions<Context>) {
    this.#server = server;
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
      const connection = new Connection({ era: "legacy", revision, pushes: false });
      await this.#answer(value, turn, caller, { connection, auth: caller.auth });
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
    const live = sink.stream(headers);
    const lastEventId = request.header("last-event-id") ?? undefined;
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

  /** Opens a session for a wire of its own, such as the old one with two paths. */
  openSession(caller: Caller<Context>): Session | undefined {
    const session = this.#sessions.open(caller.auth?.principal);
    if (session === undefined) return undefined;
    const detach = this.#server.attach(session.connection, (notification) =>
      session.main.push(JSON.stringify(notification)),
    );
    session.onClose(detach);
    return session;
  }

  async #open(value: unknown, turn: HttpTurn, caller: Caller<Context>): Promise<void> {
    const session = this.openSession(caller);
    if (session === undefined) return refuse(turn, 503, "Too many sessions", { "retry-after": "10" });
    const headers = { ...turn.headers, "mcp-session-id": session.id };
    return this.#answerIn(session, value, { ...turn, headers }, caller);
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
        answer.catch(() => undefined); // it may fail while a slow client keeps the question waiting
        await stream.send(JSON.stringify(message));
        return answer;
      },
    };
    await this.#answer(value, turn, caller, exchange, stream);
  }

  /** Answers in whatever form fits: 202 for what needs no reply, JSON, or a stream. */
  async #answer(
    value: unknown,
    turn: HttpTurn,
    caller: Caller<Context>,
    exchange: Exchange,
    stream = new ReplyStream(turn.sink, turn.headers, this.#options),
  ): Promise<void> {
    const { limits } = this.#options;
    const withNotify = exchange.notify === undefined ? { ...exchange, notify: sendOn(stream) } : exchange;
    const reply: MaybePromise<Reply> = receiveValue(this.#server, value, caller.context, withNotify, limits);
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

function sendOn(stream: ReplyStream): Exchange["notify"] {
  return (notification) => stream.send(JSON.stringify(notification));
}

/** The revision that a request names, or the one assumed; where it names one that is not spoken, it is refused. */
function readRevision({ request, sink, headers }: HttpTurn): Revision | undefined {
  const named = request.header("mcp-protocol-version")?.trim() ?? PROTOCOL_VERSION;
  if (isRevisionOf("legacy", named)) return named;
  sink.reply(400, newErrorResponse(null, "UNSUPPORTED_VERSION", "Unsupported protocol version"), headers);
  return undefined;
}

/** Whether clients of this revision know events without data and come back for the rest; older ones choke on them. */
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
