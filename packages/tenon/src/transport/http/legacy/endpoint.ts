/**
 * @fileoverview Serves the legacy revisions over HTTP: sessions with resumable streams, or independent requests in
 * stateless mode.
 * @module tenon/transport/http/legacy/endpoint
 */
import { Connection } from "../../../core/wire/connection.js";
import { receiveValue } from "../../../core/wire/receive.js";
import { newErrorResponse } from "../../../core/wire/response.js";
import type { HostedServer } from "../../../core/wire/hosted-server.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import {
  byRevision,
  type JsonRpcRequest,
  LEGACY_REVISIONS,
  McpError,
  type Revision,
  REVISIONS,
} from "../../../protocol/index.js";
import type { MessageKind } from "../../../protocol/json-rpc.js";
import {
  isReachedLimit,
  type LegacySession,
  type Listening,
  type ReachedLimit,
  type Sessions,
} from "../../../session/sessions.js";
import { createSharedSessions } from "../../../session/shared/shared-sessions.js";
import { StoreError } from "../../../stores/store-error.js";
import type { ResolvedHttpOptions } from "../options.js";
import { quoteHeader } from "../access.js";
import { readClientAddress } from "../limits/client-address.js";
import { refuse, refuseSession, refuseStore } from "../refusals.js";
import { canPoll, ReplyStream } from "../reply-stream.js";
import type { ServerSource } from "../server-source.js";
import { endWithCredentials, startKeepAlive } from "../stream-life.js";
import type { HttpContext } from "../http-context.js";
import { createMemoryPath, replyNow } from "./memory-path.js";
import { attach, type SessionPath } from "./session-path.js";
import { SharedPath } from "./shared-path.js";
import { VersionHeader } from "./version-header.js";

/** Serves the legacy revisions on one endpoint. */
export class LegacyEndpoint<Context> {
  readonly #source: ServerSource<Context>;
  readonly #servers = new WeakMap<LegacySession, HostedServer<Context>>();
  readonly #options: ResolvedHttpOptions<Context>;
  readonly #path: SessionPath<Context>;
  readonly #sessions: Sessions;
  readonly #version: VersionHeader;

  constructor(source: ServerSource<Context>, options: ResolvedHttpOptions<Context>) {
    this.#source = source;
    this.#options = options;
    this.#version = new VersionHeader(source.shared === undefined ? LEGACY_REVISIONS : REVISIONS);
    this.#path =
      options.store === undefined
        ? createMemoryPath(options)
        : new SharedPath(createSharedSessions(source.shared, options.store, options), this);
    this.#sessions = this.#path.sessions;
  }

  /** The endpoint's sessions. */
  get sessions(): Sessions {
    return this.#sessions;
  }

  /** Handles a posted message or batch. */
  post(posted: Posted, context: HttpContext<Context>): MaybePromise<void> {
    const revision = this.#version.read(context);
    if (revision === undefined) return undefined;
    if (!this.#options.stateful) return this.#answerAlone(posted, context, revision);
    if (isInitialize(posted)) return this.#initialize(posted, context);
    return this.#withSession(context, (session) => this.#postTo(session, posted, context));
  }

  /** Opens the stream of server-initiated messages, or resumes a stream after `Last-Event-ID`. */
  listen(context: HttpContext<Context>): MaybePromise<void> {
    if (!this.#options.stateful) return context.with({ allow: "POST" }).empty(405);
    if (!/text\/event-stream|\*\/\*/i.test(context.accept ?? "")) {
      const reason = `The Accept header must allow text/event-stream; got ${quoteHeader(context.accept)}.`;
      return refuse(context, 406, reason);
    }
    if (this.#version.read(context) === undefined) return undefined;
    return this.#withSession(context, (session) => this.#listen(session, context));
  }

  /** Ends the session that the request names. */
  end(context: HttpContext<Context>): MaybePromise<void> {
    if (!this.#options.stateful) return context.with({ allow: "POST" }).empty(405);
    if (this.#version.read(context) === undefined) return undefined;
    return this.#withSession(context, ({ id }) =>
      this.#path.settle(this.#sessions.end(id), context, () => context.empty(204)),
    );
  }

  /** Opens a session, for this transport or HTTP+SSE. Rejects the request if no session can be opened. */
  async openSession(context: HttpContext<Context>): Promise<LegacySession | undefined> {
    const session = await this.#tryOpen(context);
    if (session === undefined) return undefined;
    try {
      const server = await this.#source.open(session.id);
      // The session may have been evicted while its server was being created.
      if (session.isClosed) {
        refuseSession(context, this.fullLimit);
        return undefined;
      }
      this.#servers.set(session, server);
      if (this.#path.attachesOn === "open") session.onClose(attach(server, session));
      return session;
    } catch (error) {
      await this.#sessions.end(session.id);
      const reason =
        error instanceof McpError
          ? error.message
          : "Could not create a server for this session. Try again later.";
      refuse(context, 409, reason);
      return undefined;
    }
  }

  /** Limit for a client that cannot have a session or a stream, because there are too many of them. */
  get fullLimit(): ReachedLimit {
    return { option: "maxSessions", limit: this.#sessions.maxSessions };
  }

  /** Opens a session for the caller. Rejects the request if a limit is reached or the store fails. */
  async #tryOpen(context: HttpContext<Context>): Promise<LegacySession | undefined> {
    const principal = context.caller.auth?.principal;
    const { trustedProxies } = this.#options;
    const address =
      principal === undefined && trustedProxies > 0
        ? readClientAddress(context.header("x-forwarded-for"), trustedProxies)
        : undefined;
    try {
      const opened = await this.#sessions.open(principal, address);
      if (!isReachedLimit(opened)) return opened;
      refuseSession(context, opened);
    } catch (error) {
      this.failStore(context, error);
    }
    return undefined;
  }

  /** Ends a session whose client has disconnected. Never rejects. */
  async endSession(id: string): Promise<void> {
    try {
      await this.#sessions.end(id);
    } catch (error) {
      this.report(error);
    }
  }

  /** Returns a session's server. @throws if the session is closed */
  serverOf(session: LegacySession): HostedServer<Context> {
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
    const refuseFound = (session: LegacySession | undefined) => {
      if (session === undefined) return refuse(context, 404, UNKNOWN_AT_INITIALIZE);
      const { id } = posted.value as JsonRpcRequest; // Safe: the kind was checked
      return context.reply(400, newErrorResponse(id ?? null, "INVALID_REQUEST", INITIALIZED));
    };
    const found = this.#sessions.find(sessionId, context.caller.auth?.principal);
    return this.#path.settle(found, context, refuseFound);
  }

  async #open(posted: Posted, context: HttpContext<Context>): Promise<void> {
    const session = await this.openSession(context);
    if (session === undefined) return;
    const stream = new ReplyStream(context, this.#options, session);
    context.with({ "mcp-session-id": session.id });
    await this.#answer(posted, stream, this.serverOf(session));
  }

  #postTo(session: LegacySession, posted: Posted, context: HttpContext<Context>): MaybePromise<void> {
    const stream = new ReplyStream(context, this.#options, session);
    return this.#answer(posted, stream, this.serverOf(session));
  }

  #listen(session: LegacySession, context: HttpContext<Context>): MaybePromise<void> {
    const lastEventId = context.header("last-event-id") || undefined; // an empty header means that no event arrived
    const outcome = session.listen({
      lastEventId,
      auth: context.caller.auth,
      retryMs: canPoll(session.connection) ? this.#options.retryMs : undefined,
      open: (onClose) => {
        const live = context.stream();
        live.onClose(onClose);
        if (this.#path.attachesOn === "listen") live.onClose(attach(this.serverOf(session), session));
        startKeepAlive(live, this.#options);
        endWithCredentials(live, context.caller, { ports: this.#options.ports, onEnd: onClose });
        return live;
      },
    });
    const refuseUnless = (listening: Listening) => {
      // 204 tells an EventSource to stop. A stream that just ends would make it reconnect forever.
      if (listening === "over") context.empty(204);
      else if (listening === "not-issued") refuse(context, 400, notIssued(lastEventId));
      else if (listening === "gone") refuse(context, 404, UNKNOWN);
      else if (listening === "full") refuseSession(context, this.fullLimit);
    };
    return this.#path.settle(outcome, context, refuseUnless);
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

  /** Passes a message to the server, and responds as the session requires. */
  #answer(
    { value, kind }: Posted,
    stream: ReplyStream<Context>,
    server: HostedServer<Context>,
  ): MaybePromise<void> {
    const { context } = stream.context.caller;
    const { session } = stream;
    stream.posted = value;
    const reply =
      kind === "request"
        ? server.handle(value as JsonRpcRequest, context, stream) // Safe: the kind was checked
        : receiveValue(server, value, { context, exchange: stream, limits: this.#options.limits });
    const needed = kind === "notification" || kind === "response" ? undefined : reply;
    return session === undefined ? replyNow(needed, stream) : this.#path.reply(needed, stream, session);
  }

  /** Rejects a request because the session store failed. */
  failStore(context: HttpContext<Context>, error: unknown): void {
    this.report(error);
    refuseStore(context, error instanceof StoreError && error.code === "full");
  }

  /** Logs a failure of the session store. */
  report(error: unknown): void {
    this.#sessions.report?.(error);
  }

  /** Continues with the session that a request names. Rejects the request if the session does not exist. */
  #withSession(
    context: HttpContext<Context>,
    use: (session: LegacySession) => MaybePromise<void>,
  ): MaybePromise<void> {
    const { sessionId } = context;
    if (sessionId === undefined || sessionId === null) return refuse(context, 400, NO_SESSION_ID);
    const found = this.#sessions.find(sessionId, context.caller.auth?.principal);
    return this.#path.settle(found, context, (session) =>
      session === undefined ? refuse(context, 404, UNKNOWN) : use(session),
    );
  }
}

function notIssued(lastEventId: string | undefined): string {
  return (
    `Last-Event-ID ${quoteHeader(lastEventId)} was not issued in this session. ` +
    "Send the ID of the last event that you received, or omit the header."
  );
}

const NO_SESSION_ID = "The Mcp-Session-Id header is required. Send `initialize` to open a session.";
const UNKNOWN = "Session not found. Send `initialize` to open a new session.";
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
