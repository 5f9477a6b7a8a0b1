/**
 * @fileoverview Serves the legacy revisions over HTTP: sessions with resumable streams, or independent requests in
 * stateless mode.
 * @module transport/http/legacy
 */
import { Connection } from "../../core/wire/connection.js";
import { receiveValue } from "../../core/wire/receive.js";
import { errorResponse, newErrorResponse } from "../../core/wire/response.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { printable } from "@tenon/internal/text";
import {
  byRevision,
  type JsonRpcRequest,
  LEGACY_REVISIONS,
  McpError,
  type MessageKind,
  PROTOCOL_VERSION,
  type Revision,
  REVISIONS,
} from "../../protocol/index.js";
import { findRevision } from "../../protocol/revisions/revision.js";
import type { Session } from "../../session/session.js";
import { SessionStore } from "../../session/session-store.js";
import type { ResolvedHttpOptions } from "./options.js";
import { quoteHeader } from "./access.js";
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
  // Last version header and its revision, cached because a client sends the same header with every request.
  #lastVersion: string | undefined;
  #lastRevision: Revision | undefined;

  constructor(source: ServerSource<Context>, options: ResolvedHttpOptions<Context>) {
    this.#source = source;
    this.#options = options;
    this.#sessions = new SessionStore(options.ports, options.sessions, options.maxCallsPerConnection);
  }

  /** The endpoint's sessions. */
  get sessions(): SessionStore {
    return this.#sessions;
  }

  /** Handles a posted message or batch. */
  post(posted: Posted, context: HttpContext<Context>): MaybePromise<void> {
    const revision = this.#readRevision(context);
    if (revision === undefined) return undefined;
    if (!this.#options.stateful) return this.#answerAlone(posted, context, revision);
    if (isInitialize(posted)) return this.#initialize(posted, context);
    const session = this.#find(context);
    if (session === undefined) return undefined;
    const stream = new ReplyStream(context, this.#options, session);
    return this.#answer(posted, stream, this.serverOf(session));
  }

  /** Opens the stream of server-initiated messages, or resumes a stream after `Last-Event-ID`. */
  listen(context: HttpContext<Context>): void {
    if (!this.#options.stateful) return context.with({ allow: "POST" }).empty(405);
    if (!/text\/event-stream|\*\/\*/i.test(context.accept ?? "")) {
      const reason = `The Accept header must allow text/event-stream; got ${quoteHeader(context.accept)}.`;
      return refuse(context, 406, reason);
    }
    const session = this.#readRevision(context) && this.#find(context);
    if (session === undefined) return undefined;
    const lastEventId = context.header("last-event-id") || undefined; // an empty header means that no event arrived
    if (lastEventId !== undefined && !session.hasIssued(lastEventId)) {
      const reason =
        `Last-Event-ID ${quoteHeader(lastEventId)} was not issued in this session. ` +
        "Send the ID of the last event that you received, or omit the header.";
      return refuse(context, 400, reason);
    }
    // 204 tells an EventSource to stop. A stream that just ends would make it reconnect forever.
    if (lastEventId !== undefined && session.isOver(lastEventId)) return context.empty(204);
    const live = context.stream();
    // If the missed events are gone, the client gets a new stream, as the specification describes for streams that
    // cannot be resumed.
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

  /** Ends the session that the request names. */
  end(context: HttpContext<Context>): void {
    if (!this.#options.stateful) return context.with({ allow: "POST" }).empty(405);
    const session = this.#readRevision(context) && this.#find(context);
    if (session === undefined) return undefined;
    this.#sessions.end(session.id);
    return context.empty(204);
  }

  /**
   * Opens a session, for this transport or the HTTP+SSE transport. Rejects the request if no session can be opened.
   */
  async openSession(context: HttpContext<Context>): Promise<Session | undefined> {
    const session = this.#sessions.open(context.caller.auth?.principal);
    if (session === undefined) {
      refuseSession(context, this.#sessions.maxSessions);
      return undefined;
    }
    try {
      const server = await this.#source.open(session.id);
      // The session may have been evicted while its server was being created.
      if (session.isClosed) {
        refuseSession(context, this.#sessions.maxSessions);
        return undefined;
      }
      this.#servers.set(session, server);
      session.onClose(
        server.attach(session.connection, (notification) => session.main.push(JSON.stringify(notification))),
      );
      return session;
    } catch (error) {
      this.#sessions.end(session.id);
      const reason =
        error instanceof McpError
          ? error.message
          : "Could not create a server for this session. Try again later.";
      refuse(context, 409, reason);
      return undefined;
    }
  }

  /** Returns a session's server. @throws if the session is closed */
  serverOf(session: Session): HostedServer<Context> {
    const server = this.#source.shared ?? this.#servers.get(session);
    if (server === undefined) throw new Error(CLOSED);
    return server;
  }

  /**
   * Opens a session, unless the request names one. A session is initialized once, and a client whose session has ended
   * must start a new one without a session ID.
   */
  #initialize(posted: Posted, context: HttpContext<Context>): MaybePromise<void> {
    const { sessionId } = context;
    if (sessionId === undefined || sessionId === null) return this.#open(posted, context);
    if (this.#sessions.find(sessionId, context.caller.auth?.principal) === undefined)
      return refuse(context, 404, UNKNOWN_AT_INITIALIZE);
    const { id } = posted.value as JsonRpcRequest; // Safe: the kind was checked
    return context.reply(400, newErrorResponse(id ?? null, "INVALID_REQUEST", INITIALIZED));
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

  /** Responds with a server that exists only for this request. */
  async #answerOnce(posted: Posted, stream: ReplyStream<Context>): Promise<void> {
    const server = await this.#source.open("stateless");
    const release = server.attach(stream.connection, (notification) => stream.notify(notification));
    try {
      await this.#answer(posted, stream, server);
    } finally {
      release();
    }
  }

  /** Responds with 202 if no reply is required, otherwise with JSON or an event stream. */
  #answer(
    { value, kind }: Posted,
    stream: ReplyStream<Context>,
    server: HostedServer<Context>,
  ): MaybePromise<void> {
    const { context } = stream.context.caller;
    const reply =
      kind === "request"
        ? server.handle(value as JsonRpcRequest, context, stream) // Safe: the kind was checked
        : receiveValue(server, value, { context, exchange: stream, limits: this.#options.limits });
    if (kind === "notification" || kind === "response") return stream.context.empty(202);
    if (!isPromise(reply)) return stream.finish(reply);
    stream.expectDelay();
    return reply.then((late) => stream.finish(late));
  }

  /**
   * Returns the revision in the version header, or the default if the header is missing. Rejects unsupported revisions.
   */
  #readRevision(context: HttpContext<Context>): Revision | undefined {
    const { version } = context;
    if (version === undefined || version === null) return PROTOCOL_VERSION;
    if (version === this.#lastVersion) return this.#lastRevision;
    const named = findRevision("legacy", version.trim());
    if (named === undefined) {
      this.#refuseVersion(context, version);
      return undefined;
    }
    this.#lastVersion = version;
    this.#lastRevision = named;
    return named;
  }

  #refuseVersion(context: HttpContext<Context>, version: string): void {
    const supported = this.#source.shared === undefined ? LEGACY_REVISIONS : REVISIONS;
    const requested = printable(version);
    context.reply(
      400,
      errorResponse(null, {
        error: "UNSUPPORTED_VERSION",
        message: `Unsupported protocol version "${requested}". Supported versions: ${supported.join(", ")}.`,
        data: { supported, requested },
        era: "legacy",
      }),
    );
  }

  /** Returns the session that a request names. Rejects the request if the session does not exist. */
  #find(context: HttpContext<Context>): Session | undefined {
    const id = context.sessionId ?? undefined;
    if (id === undefined) {
      refuse(context, 400, "The Mcp-Session-Id header is required. Send `initialize` to open a session.");
      return undefined;
    }
    const session = this.#sessions.find(id, context.caller.auth?.principal);
    if (session === undefined)
      refuse(context, 404, "Session not found. Send `initialize` to open a new session.");
    return session;
  }
}

const CLOSED = "The session is closed. Send `initialize` to open a new session.";
const INITIALIZED =
  "This session is already initialized. Omit the Mcp-Session-Id header to open a new session.";
const UNKNOWN_AT_INITIALIZE =
  "Session not found. Send `initialize` without the Mcp-Session-Id header to open a new session.";

/** Connection options for a single stateless request. */
const STATELESS = byRevision((revision) => ({ era: "legacy", revision, pushes: false }) as const);

/** Parsed body of a POST request. */
interface Posted {
  readonly value: unknown;
  readonly kind: MessageKind | "batch";
}

function isInitialize({ value, kind }: Posted): boolean {
  // Safe: the kind guarantees that the value is a request.
  return kind === "request" && (value as JsonRpcRequest).method === "initialize";
}
