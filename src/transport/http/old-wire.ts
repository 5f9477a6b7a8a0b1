/**
 * @fileoverview The first HTTP transport of MCP: a stream that says where to post, and replies on that stream. For
 * clients that know no other.
 * @module transport/http/old-wire
 */
import type { Exchange } from "../../core/exchange.js";
import { receive, replyText } from "../../core/receive.js";
import type { Session } from "../../session/session.js";
import { checkContentType } from "./access.js";
import { type LegacyEndpoint, refuse } from "./legacy.js";
import type { ResolvedHttpOptions } from "./options.js";
import { startKeepAlive } from "./reply-stream.js";
import type { Caller, HttpBody, HttpTurn } from "./turn.js";

/** Serves the two paths of the first transport. */
export class OldWire<Context> {
  readonly #legacy: LegacyEndpoint<Context>;
  readonly #options: ResolvedHttpOptions<Context>;

  constructor(legacy: LegacyEndpoint<Context>, options: ResolvedHttpOptions<Context>) {
    this.#legacy = legacy;
    this.#options = options;
  }

  /** Whether a request is for one of the two paths. */
  takes({ method, url }: HttpTurn<Context>): boolean {
    const path = pathOf(url);
    return (method === "GET" && path.endsWith("/sse")) || (method === "POST" && path.endsWith("/messages"));
  }

  /** Takes such a request. */
  take(turn: HttpTurn<Context>): Promise<void> {
    return turn.method === "GET" ? this.#open(turn) : this.#post(turn);
  }

  async #open(turn: HttpTurn<Context>): Promise<void> {
    const session = await this.#legacy.openSession(turn);
    if (session === undefined) return;
    const live = turn.stream();
    const base = pathOf(turn.url).replace(/\/sse$/, "");
    live.announce("endpoint", `${base}/messages?sessionId=${session.id}`);
    session.main.attach(live);
    startKeepAlive(live, this.#options);
    live.onClose(() => this.#legacy.sessions.end(session.id));
  }

  async #post(turn: HttpTurn<Context>): Promise<void> {
    const { caller } = turn;
    const { limits } = this.#options;
    const id = new URLSearchParams(turn.url.split("?", 2)[1] ?? "").get("sessionId");
    const session = id === null ? undefined : this.#legacy.sessions.find(id, caller.auth?.principal);
    if (session === undefined) return refuse(turn, 404, "Session not found; open a new one on /sse");
    const access = checkContentType(turn.contentType);
    if (!access.ok) return refuse(turn, access.status, access.reason);
    const body = await bodyOf(turn, limits.maxBytes);
    if (body === undefined) {
      return refuse(turn, 413, `message exceeds ${limits.maxBytes} bytes`, { connection: "close" });
    }
    const reply = receive(
      this.#legacy.serverOf(session),
      body,
      caller.context,
      exchangeOf(session, caller),
      limits,
    );
    turn.empty(202);
    const text = replyText(await reply);
    if (text !== "") await session.main.push(text);
    return undefined;
  }
}

function bodyOf<Context>(turn: HttpTurn<Context>, limit: number): Promise<HttpBody> {
  return new Promise((resolve) => turn.readBody(limit, (_turn, body) => resolve(body)));
}

function exchangeOf<Context>({ connection, main }: Session, { auth }: Caller<Context>): Exchange {
  return {
    connection,
    auth,
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
