/**
 * @fileoverview The legacy revisions over HTTP: sessions that open with `initialize`, streams that can be resumed, or
 * requests that each stand alone.
 * @module transport/http/legacy
 */
import { Connection } from "../../core/wire/connection.js";
import { receiveValue } from "../../core/wire/receive.js";
import { newErrorResponse } from "../../core/wire/response.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  byRevision,
  findRevision,
  type JsonRpcRequest,
  McpError,
  type MessageKind,
  PROTOCOL_VERSION,
  type Revision,
} from "../../protocol/index.js";
import type { Session } from "../../session/session.js";
import { SessionStore } from "../../session/session-store.js";

import type { ResolvedHttpOptions } from "./options.js";
import { canPoll, ReplyStream, startKeepAlive } from "./reply-stream.js";
import type { ServerSource } from "./server-source.js";
import { type HttpHeaders, type HttpContext, NO_HEADERS } from "./http-context.js";

/** Serves the legacy revisions on one endpoint. */
export class LegacyEndpoint<Context> {
  readonly #source: ServerSource<Context>;
  readonly #servers = new WeakMap<Session, HostedServer<Context>>();
  readonly #options: ResolvedHttpOptions<Context>;
  readonly #sessions: SessionStore;
  // What was read from the last header need not be read from the next that says the same.
  #lastVersion: string | undefined;
  #lastRevision: Revision | undefined;

  constructor(source: ServerSource<Context>, options: ResolvedHttpOptions<Context>) {
    this.#source = source;
    this.#options = options;
    this.#sessions = new SessionStore(options.ports, options.sessions, options.maxCallsPerConnection);
  }

  /** The sessions of this endpoint. */
  get sessions(): SessionStore {
    return this.#sessions;
  }

  /** Takes a posted message or batch. */
  post(value: unknown, kind: PostedKind, turn: HttpContext<Context>): MaybePromise<void> {
    const revision = this.#readRevision(turn);
    if (revision === undefined) return undefined;
    if (!this.#options.stateful) return this.#answerAlone(value, kind, turn, revision);
    if (kind === "request" && isInitialize(value)) return this.#open(value, turn);
    const session = this.#find(turn);
    if (session === undefined) return undefined;
    const stream = new ReplyStream(turn, this.#options, session.connection, session);
    return this.#answer(value, kind, stream, this.serverOf(session));
  }

  /** Opens the stream for what the server sends unasked, or goes on where the client was cut off. */
  listen(turn: HttpContext<Context>): void {
    if (!this.#options.stateful) return turn.with({ allow: "POST" }).empty(405);
    if (!/text\/event-stream|\*\/\*/i.test(turn.accept ?? "")) {
      return refuse(turn, 406, "Accept must allow text/event-stream");
    }
    const session = this.#readRevision(turn) && this.#find(turn);
    if (session === undefined) return undefined;
    const lastEventId = turn.header("last-event-id") ?? undefined;
    // 204 tells an event source to stop: a stream that just ended would make it come back for ever.
    if (lastEventId !== undefined && session.isOver(lastEventId)) return turn.empty(204);
    const live = turn.stream();
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
  end(turn: HttpContext<Context>): void {
    if (!this.#options.stateful) return turn.with({ allow: "POST" }).empty(405);
    const session = this.#readRevision(turn) && this.#find(turn);
    if (session === undefined) return undefined;
    this.#sessions.end(session.id);
    return turn.empty(204);
  }

  /** Opens a session, here or for a wire beside this one; refuses the request where there can be none. */
  async openSession(turn: HttpContext<Context>): Promise<Session | undefined> {
    const session = this.#sessions.open(turn.caller.auth?.principal);
    if (session === undefined) {
      refuse(turn, 503, "Too many sessions", { "retry-after": "10" });
      return undefined;
    }
    try {
      const server = await this.#source.open(session.id);
      // It may have made room for another while its server was made.
      if (session.isClosed) {
        refuse(turn, 503, "Too many sessions", { "retry-after": "10" });
        return undefined;
      }
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
  serverOf(session: Session): HostedServer<Context> {
    const server = this.#source.shared ?? this.#servers.get(session);
    if (server === undefined) throw new Error("a session without a server");
    return server;
  }

  async #open(value: unknown, turn: HttpContext<Context>): Promise<void> {
    const session = await this.openSession(turn);
    if (session === undefined) return;
    turn.with({ "mcp-session-id": session.id });
    const stream = new ReplyStream(turn, this.#options, session.connection, session);
    await this.#answer(value, "request", stream, this.serverOf(session));
  }

  #answerAlone(
    value: unknown,
    kind: PostedKind,
    turn: HttpContext<Context>,
    revision: Revision,
  ): MaybePromise<void> {
    const connection = new Connection(STATELESS[revision]);
    const stream = new ReplyStream(turn, this.#options, connection);
    const { shared } = this.#source;
    return shared === undefined
      ? this.#answerOnce(value, kind, stream)
      : this.#answer(value, kind, stream, shared);
  }

  /** Answers with a server of the request's own, which lives as long. */
  async #answerOnce(value: unknown, kind: PostedKind, stream: ReplyStream<Context>): Promise<void> {
    const server = await this.#source.open("stateless");
    const release = server.attach(stream.connection, (notification) => stream.notify(notification));
    try {
      await this.#answer(value, kind, stream, server);
    } finally {
      release();
    }
  }

  /** Answers in whatever form fits: 202 for what needs no reply, JSON, or a stream. */
  #answer(
    value: unknown,
    kind: PostedKind,
    stream: ReplyStream<Context>,
    server: HostedServer<Context>,
  ): MaybePromise<void> {
    const { turn } = stream;
    const { context } = turn.caller;
    const reply =
      kind === "request"
        ? server.handle(value as JsonRpcRequest, context, stream) // its kind was checked
        : receiveValue(server, value, context, stream, this.#options.limits);
    if (kind === "notification" || kind === "response") return turn.empty(202);
    if (!isPromise(reply)) return stream.finish(reply);
    stream.expectDelay();
    return reply.then((late) => stream.finish(late));
  }

  /** The revision that a request's header names, or the one assumed without it; refuses one that is not spoken. */
  #readRevision(turn: HttpContext<Context>): Revision | undefined {
    const { version } = turn;
    if (version === undefined || version === null) return PROTOCOL_VERSION;
    if (version === this.#lastVersion) return this.#lastRevision;
    const named = findRevision("legacy", version.trim());
    if (named === undefined) {
      turn.reply(400, newErrorResponse(null, "UNSUPPORTED_VERSION", "Unsupported protocol version"));
      return undefined;
    }
    this.#lastVersion = version;
    this.#lastRevision = named;
    return named;
  }

  /** The session that a request names, or the refusal that says why there is none. */
  #find(turn: HttpContext<Context>): Session | undefined {
    const id = turn.sessionId ?? undefined;
    if (id === undefined) {
      refuse(turn, 400, "Mcp-Session-Id header is required; open a session with initialize");
      return undefined;
    }
    const session = this.#sessions.find(id, turn.caller.auth?.principal);
    if (session === undefined) refuse(turn, 404, "Session not found; open a new one with initialize");
    return session;
  }
}

/** What a connection that lives for one request is made from. */
const STATELESS = byRevision((revision) => ({ era: "legacy", revision, pushes: false }) as const);

/** What was posted. */
type PostedKind = MessageKind | "batch";

function isInitialize(value: unknown): boolean {
  return (value as { readonly method: string }).method === "initialize"; // its kind was checked
}

/** Refuses a request on the level of HTTP, in words that a JSON-RPC client can show. */
export function refuse(
  turn: HttpContext<unknown>,
  status: number,
  reason: string,
  headers: HttpHeaders = NO_HEADERS,
): void {
  if (headers !== NO_HEADERS) turn.with(headers);
  turn.reply(status, newErrorResponse(null, "INVALID_REQUEST", reason));
}
