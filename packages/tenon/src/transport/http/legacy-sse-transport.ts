/**
 * @fileoverview The first HTTP transport of MCP: a stream that says where to post, and replies on that stream. For
 * clients that know no other.
 * @module transport/http/old-wire
 */
import type { Exchange } from "../../core/wire/exchange.js";
import { receiveParsed, replyText } from "../../core/wire/receive.js";
import { messageKind, parseFrame } from "../../protocol/index.js";
import type { Session } from "../../session/session.js";
import { checkContentType } from "./access.js";
import { type LegacyEndpoint, refuse } from "./legacy.js";
import type { ResolvedHttpOptions } from "./options.js";
import { startKeepAlive } from "./reply-stream.js";
import type { Caller, HttpBody, HttpContext } from "./http-context.js";

/** Serves the two paths of the first transport. */
export class LegacySseTransport<Context> {
  readonly #legacy: LegacyEndpoint<Context>;
  readonly #options: ResolvedHttpOptions<Context>;

  constructor(legacy: LegacyEndpoint<Context>, options: ResolvedHttpOptions<Context>) {
    this.#legacy = legacy;
    this.#options = options;
  }

  /** Whether a request is for one of the two paths. */
  takes({ method, url }: HttpContext<Context>): boolean {
    const path = pathOf(url);
    return (method === "GET" && path.endsWith("/sse")) || (method === "POST" && path.endsWith("/messages"));
  }

  /** Opens a stream, and a session with it. */
  async open(turn: HttpContext<Context>): Promise<void> {
    const session = await this.#legacy.openSession(turn);
    if (session === undefined) return;
    const live = turn.stream();
    const base = pathOf(turn.url).replace(/\/sse$/, "");
    live.announce("endpoint", `${base}/messages?sessionId=${session.id}`);
    session.main.attach(live);
    startKeepAlive(live, this.#options);
    live.onClose(() => this.#legacy.sessions.end(session.id));
  }

  /** Whether the body of a post is worth reading; one that is not is refused. */
  admits(turn: HttpContext<Context>): boolean {
    if (this.#sessionOf(turn) === undefined) {
      refuse(turn, 404, "Session not found; open a new one on /sse");
      return false;
    }
    const access = checkContentType(turn.contentType);
    if (!access.ok) refuse(turn, access.status, access.reason);
    return access.ok;
  }

  /** Answers a post on the session's stream; `mayStart` is whether it may start anything. */
  async answer(turn: HttpContext<Context>, body: HttpBody, mayStart: boolean): Promise<void> {
    const { caller } = turn;
    const { limits } = this.#options;
    if (body === undefined) {
      return refuse(turn, 413, `message exceeds ${limits.maxBytes} bytes`, { connection: "close" });
    }
    if (body === null) return refuse(turn, 503, TOO_MANY_BODIES, BUSY_HEADERS);
    const session = this.#sessionOf(turn);
    if (session === undefined) return refuse(turn, 404, "Session not found; open a new one on /sse");
    const parsed = parseFrame(body, limits);
    if (!mayStart && parsed.ok && startsWork(parsed.value))
      return refuse(turn, 503, STOPPING, STOPPING_HEADERS);
    const server = this.#legacy.serverOf(session);
    const exchange = exchangeOf(session, caller, body.length);
    const reply = receiveParsed(server, parsed, caller.context, exchange, limits);
    turn.empty(202);
    const text = replyText(await reply);
    if (text !== "") await session.main.push(text);
    return undefined;
  }

  #sessionOf({ url, caller }: HttpContext<Context>): Session | undefined {
    const id = new URLSearchParams(url.split("?", 2)[1] ?? "").get("sessionId");
    return id === null ? undefined : this.#legacy.sessions.find(id, caller.auth?.principal);
  }
}

/** Said to a client whose incomplete body took room that others needed. */
export const TOO_MANY_BODIES = "Too many request bodies are arriving at once; try again later";
/** Go with it. */
export const BUSY_HEADERS = { "retry-after": "1", connection: "close" };

/** What a server that stops says to whoever wants to start something. */
export const STOPPING = "The server is stopping";
/** What goes with it. */
export const STOPPING_HEADERS = { "retry-after": "1", connection: "close" };

/** Whether a message, or one of a batch, is a request. */
export function startsWork(value: unknown): boolean {
  return Array.isArray(value)
    ? value.some((one) => messageKind(one) === "request")
    : messageKind(value) === "request";
}

function exchangeOf<Context>(
  { connection, main }: Session,
  { auth }: Caller<Context>,
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
