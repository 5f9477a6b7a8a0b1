/**
 * @fileoverview Baseline of streams: event streams written by hand on `node:http`, with zod and the same messages and
 * headers as Tenon. Sessions keep their events for clients that reconnect.
 * @module bench/servers/streams/raw-sse
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Adapter, RawMessage, Setup } from "../contract.js";
import { listen, readBody } from "../node-http.js";
import { INITIALIZE_RESULT, matchesHeaders, RESULT_META } from "../raw.js";
import { EventLog, type LoggedStream } from "./event-log.js";
import { tick, TICKS_INPUT } from "./ticks.js";

const SSE_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
} as const;

/** A session: the events of its newest streams. */
interface Session {
  readonly log: EventLog<string>;
  streams: number;
}

const sessions = new Map<string, Session>();
const listeners = new Map<ServerResponse, RawMessage["id"]>();

/** Writes the events of one response. In a session, each event has an ID and is kept. */
class Events {
  readonly #response: ServerResponse;
  readonly #session: Session | undefined;
  readonly #stream: LoggedStream<string> | undefined;

  constructor(response: ServerResponse, session: Session | undefined) {
    this.#response = response;
    this.#session = session;
    this.#stream = session?.log.open(String(++session.streams));
    response.writeHead(200, SSE_HEADERS);
  }

  send(message: object): void {
    this.#response.write(this.#format(message));
  }

  end(message: object): void {
    this.#response.end(this.#format(message));
  }

  #format(message: object): string {
    const data = JSON.stringify(message);
    if (this.#session === undefined || this.#stream === undefined) return `data: ${data}\n\n`;
    return `id: ${this.#session.log.add(this.#stream, data)}\ndata: ${data}\n\n`;
  }
}

async function callTicks({ id, params }: RawMessage, events: Events, { mode }: Setup): Promise<void> {
  const parsed = TICKS_INPUT.safeParse(params?.arguments);
  if (!parsed.success) return events.end({ jsonrpc: "2.0", id, error: { code: -32602, message: "wrong" } });
  const { count, text: message } = parsed.data;
  const progressToken = params?._meta?.["progressToken"];
  const text = await tick(count, (progress) =>
    events.send({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress, total: count, message },
    }),
  );
  const content = [{ type: "text", text }];
  const result = mode === "modern" ? { resultType: "complete", _meta: RESULT_META, content } : { content };
  return events.end({ jsonrpc: "2.0", id, result });
}

function subscribe({ id }: RawMessage, response: ServerResponse): void {
  response.writeHead(200, SSE_HEADERS);
  response.on("close", () => listeners.delete(response));
  listeners.set(response, id);
  const params = { notifications: { toolsListChanged: true }, _meta: subscriptionMeta(id) };
  const message = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params };
  response.write(`data: ${JSON.stringify(message)}\n\n`);
}

const subscriptionMeta = (id: RawMessage["id"]) => ({ "io.modelcontextprotocol/subscriptionId": id });

/** Replays the events after the last one that the client received. The streams of the benchmark have ended by then. */
function resume({ headers }: IncomingMessage, response: ServerResponse): void {
  const session = sessions.get(String(headers["mcp-session-id"]));
  const found = session?.log.find(String(headers["last-event-id"]));
  if (found === undefined) {
    response.writeHead(400, { "Content-Length": 0 }).end();
    return;
  }
  const { stream, after } = found;
  let text = "";
  for (let index = after; index < stream.events.length; index++) {
    text += `id: ${stream.id}_${index + 1}\ndata: ${stream.events[index] ?? ""}\n\n`;
  }
  response.writeHead(200, SSE_HEADERS).end(text);
}

function post(setup: Setup, request: IncomingMessage, response: ServerResponse): void {
  readBody(request, (body) => {
    const message = JSON.parse(body.toString()) as RawMessage;
    const { id, method } = message;
    if (id === undefined) {
      response.writeHead(202, { "Content-Length": 0 }).end();
    } else if (method === "initialize") {
      const session = randomUUID();
      sessions.set(session, { log: new EventLog(), streams: 0 });
      response.writeHead(200, { "Content-Type": "application/json", "Mcp-Session-Id": session });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: INITIALIZE_RESULT }));
    } else if (setup.mode === "modern" && !matchesHeaders(request.headers, message)) {
      response.writeHead(400, { "Content-Length": 0 }).end();
    } else if (method === "subscriptions/listen") subscribe(message, response);
    else {
      const session = sessions.get(String(request.headers["mcp-session-id"]));
      void callTicks(message, new Events(response, session), setup);
    }
  });
}

/** Adapter of the baseline. */
export const adapter: Adapter = {
  http: (setup) =>
    listen((request, response) => {
      if (request.method === "GET") resume(request, response);
      else post(setup, request, response);
    }),
  publish() {
    for (const [response, id] of listeners) {
      const params = { _meta: subscriptionMeta(id) };
      const message = { jsonrpc: "2.0", method: "notifications/tools/list_changed", params };
      response.write(`data: ${JSON.stringify(message)}\n\n`);
    }
  },
};
