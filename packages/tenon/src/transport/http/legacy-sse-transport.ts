/**
 * @fileoverview MCP's original HTTP+SSE transport: an event stream announces a URL for POST requests and carries the
 * replies. For clients that do not support Streamable HTTP.
 * @module tenon/transport/http/legacy-sse-transport
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Exchange } from "../../core/wire/exchange.js";
import { receiveParsed, replyText } from "../../core/wire/receive.js";
import { messageKind, parseFrame } from "../../protocol/index.js";
import type { LegacySession, Listening } from "../../session/sessions.js";
import { checkContentType } from "./access.js";
import type { LegacyEndpoint } from "./legacy/endpoint.js";
import type { ResolvedHttpOptions } from "./options.js";
import { refuse, refuseBody, refuseSession, refuseStopping } from "./refusals.js";
import { endWithCredentials, startKeepAlive } from "./stream-life.js";
import type { HttpCaller, HttpBody, HttpContext } from "./http-context.js";

/** Serves the HTTP+SSE transport on paths that end in `/sse` and `/messages`. */
export class LegacySseTransport<Context> {
  readonly #legacy: LegacyEndpoint<Context>;
  readonly #options: ResolvedHttpOptions<Context>;

  constructor(legacy: LegacyEndpoint<Context>, options: ResolvedHttpOptions<Context>) {
    this.#legacy = legacy;
    this.#options = options;
  }

  /** Returns true if the request is for one of the two paths. */
  takes({ method, url }: HttpContext<Context>): boolean {
    const path = pathOf(url);
    return (method === "GET" && path.endsWith("/sse")) || (method === "POST" && path.endsWith("/messages"));
  }

  /**
   * Opens an event stream and its session. The session ends when the client disconnects or its credentials end, because
   * this transport cannot resume a stream.
   */
  async open(context: HttpContext<Context>): Promise<void> {
    const session = await this.#legacy.openSession(context);
    if (session === undefined) return;
    try {
      await session.sync?.();
      const listening = await this.#listen(session, context);
      if (listening !== "listening") refuseSession(context, this.#legacy.fullLimit);
    } catch (error) {
      this.#legacy.failStore(context, error);
    }
  }

  #listen(session: LegacySession, context: HttpContext<Context>): MaybePromise<Listening> {
    const base = pathOf(context.url).replace(/\/sse$/, "");
    return session.listen({
      lastEventId: undefined,
      retryMs: undefined,
      open: (onClose) => {
        const live = context.stream();
        live.announce("endpoint", `${base}/messages?sessionId=${session.id}`);
        startKeepAlive(live, this.#options);
        live.onClose(() => {
          onClose();
          void this.#legacy.endSession(session.id);
        });
        endWithCredentials(live, context.caller, { ports: this.#options.ports, onEnd: onClose });
        return live;
      },
    });
  }

  /** Returns true if the body of a POST request should be read. Otherwise rejects the request. */
  admits(context: HttpContext<Context>): boolean {
    // A shared session is looked up once, when the body has arrived.
    if (this.#options.store === undefined && this.#sessionOf(context) === undefined) {
      refuse(context, 404, UNKNOWN);
      return false;
    }
    const access = checkContentType(context.contentType);
    if (!access.ok) refuse(context, access.status, access.reason);
    return access.ok;
  }

  /** Responds to a POST request on the session's stream. Rejects new calls if `mayStart` is false. */
  async answer(context: HttpContext<Context>, body: HttpBody, mayStart: boolean): Promise<void> {
    const { caller } = context;
    const { limits } = this.#options;
    if (body === undefined || body === null) return refuseBody(context, body, this.#options);
    let session: LegacySession | undefined;
    try {
      session = await this.#sessionOf(context);
    } catch (error) {
      return this.#legacy.failStore(context, error);
    }
    if (session === undefined) return refuse(context, 404, UNKNOWN);
    const parsed = parseFrame(body, limits);
    if (!mayStart && parsed.ok && startsWork(parsed.value)) return refuseStopping(context);
    const server = this.#legacy.serverOf(session);
    const exchange = exchangeOf(session, caller, body.length);
    const reply = receiveParsed(server, parsed, { context: caller.context, exchange, limits });
    context.empty(202);
    const text = replyText(await reply);
    try {
      await session.sync?.();
      if (text !== "") await session.main.push(text);
    } catch (error) {
      // The client does not get the reply. It opens a new session when its stream ends.
      this.#legacy.report(error);
      await this.#legacy.endSession(session.id);
    }
    return undefined;
  }

  #sessionOf({ url, caller }: HttpContext<Context>): MaybePromise<LegacySession | undefined> {
    const id = new URLSearchParams(url.split("?", 2)[1] ?? "").get("sessionId");
    return id === null ? undefined : this.#legacy.sessions.find(id, caller.auth?.principal);
  }
}

const UNKNOWN = "Session not found. Send GET /sse to open a new session.";

/** Returns true for a request, or for a batch that contains one. */
export function startsWork(value: unknown): boolean {
  return Array.isArray(value)
    ? value.some((one) => messageKind(one) === "request")
    : messageKind(value) === "request";
}

function exchangeOf<Context>(
  { connection, main }: LegacySession,
  { auth }: HttpCaller<Context>,
  messageLength: number,
): Exchange {
  return {
    connection,
    auth,
    messageLength,
    notify: (notification) => main.push(JSON.stringify(notification)),
    async request(question, signal) {
      const { message, answer } = connection.ask(question, signal);
      await main.push(JSON.stringify(message));
      return answer;
    },
  };
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? url;
}
