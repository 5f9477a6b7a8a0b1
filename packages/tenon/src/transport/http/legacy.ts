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
  type JsonRpcRequest,
  McpError,
  type MessageKind,
  PROTOCOL_VERSION,
  type Revision,
} from "../../protocol/index.js";
import { findRevision } from "../../protocol/revisions/revision.js";
import type { Session } from "../../session/session.js";
import { SessionStore } from "../../session/session-store.js";
import type { ResolvedHttpOptions } from "./options.js";
import { refuse, refuseSession } from "./refusals.js";
import { canPoll, ReplyStream, startKeepAlive } from "./reply-stream.js";
import type { ServerSource } from "./server-source.js";
import type { HttpContext } from "./http-context.js";

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
  post(posted: Posted, context: HttpContext<Context>): MaybePromise<void> {
    const revision = this.#readRevision(context);
    if (revision === undefined) return undefined;
    if (!this.#options.stateful) return this.#answerAlone(posted, context, revision);
    if (isInitialize(posted)) return this.#open(posted, context);
    const session = this.#find(context);
    if (session === undefined) return undefined;
    const stream = new ReplyStream(context, this.#options, session);
    return this.#answer(posted, stream, this.serverOf(session));
  }

  /** Opens the stream for what the server sends unasked, or goes on where the client was cut off. */
  listen(context: HttpContext<Context>): void {
    if (!this.#options.stateful) return context.with({ allow: "POST" }).empty(405);
    if (!/text\/event-stream|\*\/\*/i.test(context.accept ?? "")) {
      return refuse(context, 406, "Accept must allow text/event-stream");
    }
    const session = this.#readRevision(context) && this.#find(context);
    if (session === undefined) return undefined;
    const lastEventId = context.header("last-event-id") ?? undefined;
    // 204 tells an event source to stop: a stream that just ended would make it come back for ever.
    if (lastEventId !== undefined && session.isOver(lastEventId)) return context.empty(204);
    const live = context.stream();
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
  end(context: HttpContext<Context>): void {
    if (!this.#options.stateful) return context.with({ allow: "POST" }).empty(405);
    const session = this.#readRevision(context) && this.#find(context);
    if (session === undefined) return undefined;
    this.#sessions.end(session.id);
    return context.empty(204);
  }

  /** Opens a session, for this transport or the one beside it; refuses the request if there can be none. */
  async openSession(context: HttpContext<Context>): Promise<Session | undefined> {
    const session = this.#sessions.open(context.caller.auth?.principal);
    if (session === undefined) {
      refuseSession(context);
      return undefined;
    }
    try {
      const server = await this.#source.open(session.id);
      // It may have made room for another while its server was made.
      if (session.isClosed) {
        refuseSession(context);
        return undefined;
      }
      this.#servers.set(session, server);
      session.onClose(
        server.attach(session.connection, (notification) => session.main.push(JSON.stringify(notification))),
      );
      return session;
    } catch (error) {
      this.#sessions.end(session.id);
      const reason = error instanceof McpError ? error.message : "There is no server for one more session";
      refuse(context, 409, reason);
      return undefined;
    }
  }

  /** The server of a session. */
  serverOf(session: Session): HostedServer<Context> {
    const server = this.#source.shared ?? this.#servers.get(session);
    if (server === undefined) throw new Error("a session without a server");
    return server;
  }

  async #open(posted: Posted, context: HttpContext<Context>): Promise<void> {
    const session = await this.openSession(context);
    if (session === undefined) return;
    context.with({ "mcp-session-id": session.id });
    await this.#answer(posted, new ReplyStream(context, this.#options, session), this.serverOf(session));
  }

  #answerAlone(posted: Posted, context: HttpContext<Context>, revision: Revision): MaybePromise<void> {
    const stream = new ReplyStream(context, this.#options, new Connection(STATELESS[revision]));
    const { shared } = this.#source;
    return shared === undefined ? this.#answerOnce(posted, stream) : this.#answer(posted, stream, shared);
  }

  /** Answers with a server of the request's own, which lives as long. */
  async #answerOnce(posted: Posted, stream: ReplyStream<Context>): Promise<void> {
    const server = await this.#source.open("stateless");
    const release = server.attach(stream.connection, (notification) => stream.notify(notification));
    try {
      await this.#answer(posted, stream, server);
    } finally {
      release();
    }
  }

  /** Answers in whatever form fits: 202 for what needs no reply, JSON, or a stream. */
  #answer(
    { value, kind }: Posted,
    stream: ReplyStream<Context>,
    server: HostedServer<Context>,
  ): MaybePromise<void> {
    const { context } = stream.context.caller;
    const reply =
      kind === "request"
        ? server.handle(value as JsonRpcRequest, context, stream) // its kind was checked
        : receiveValue(server, value, { context, exchange: stream, limits: this.#options.limits });
    if (kind === "notification" || kind === "response") return stream.context.empty(202);
    if (!isPromise(reply)) return stream.finish(reply);
    stream.expectDelay();
    return reply.then((late) => stream.finish(late));
  }

  /** The revision that a request's header names, or the one assumed without it; refuses one that is not spoken. */
  #readRevision(context: HttpContext<Context>): Revision | undefined {
    const { version } = context;
    if (version === undefined || version === null) return PROTOCOL_VERSION;
    if (version === this.#lastVersion) return this.#lastRevision;
    const named = findRevision("legacy", version.trim());
    if (named === undefined) {
      context.reply(400, newErrorResponse(null, "UNSUPPORTED_VERSION", "Unsupported protocol version"));
      return undefined;
    }
    this.#lastVersion = version;
    this.#lastRevision = named;
    return named;
  }

  /** The session that a request names, or the refusal that says why there is none. */
  #find(context: HttpContext<Context>): Session | undefined {
    const id = context.sessionId ?? undefined;
    if (id === undefined) {
      refuse(context, 400, "Mcp-Session-Id header is required; open a session with initialize");
      return undefined;
    }
    const session = this.#sessions.find(id, context.caller.auth?.principal);
    if (session === undefined) refuse(context, 404, "Session not found; open a new one with initialize");
    return session;
  }
}

/** Options of a connection that lives for one request. */
const STATELESS = byRevision((revision) => ({ era: "legacy", revision, pushes: false }) as const);

/** The parsed body of a POST request. */
interface Posted {
  readonly value: unknown;
  readonly kind: MessageKind | "batch";
}

function isInitialize({ value, kind }: Posted): boolean {
  // Its kind tells that the value is a request.
  return kind === "request" && (value as JsonRpcRequest).method === "initialize";
}
