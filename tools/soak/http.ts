/**
 * @fileoverview HTTP requests of the soak test: whole responses, event streams, and connections that the client drops.
 * @module tools/soak/http
 */
import { type Agent, type IncomingMessage, request } from "node:http";

/** One HTTP request to a server on loopback. */
export interface HttpRequest {
  readonly port: number;
  /** @default "POST" */
  readonly method?: string;
  /** @default "/mcp" */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text of the body, or an object that is sent as JSON. */
  readonly body?: string | object;
  /** @default a new connection */
  readonly agent?: Agent;
}

/** Server-sent event. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** Response whose body has not been read. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly isStream: boolean;
  /** Reads the whole body. */
  text(): Promise<string>;
  /** Yields the events of a stream as they arrive. */
  events(): AsyncGenerator<ServerEvent>;
  /** Ends the connection. */
  destroy(): void;
}

/** Sends a request. Resolves when the headers of the response have arrived. `signal` ends the connection. */
export function send(options: HttpRequest, signal?: AbortSignal): Promise<HttpResponse> {
  const { port, method = "POST", path = "/mcp", headers = {}, body, agent = false } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent,
        ...(signal === undefined ? {} : { signal }),
        headers: {
          accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
      },
      (response) => resolve(toResponse(response)),
    );
    // An error after the headers is reported by the reader of the body.
    outgoing.on("error", reject);
    outgoing.end(typeof body === "object" ? JSON.stringify(body) : body);
  });
}

function toResponse(response: IncomingMessage): HttpResponse {
  response.setEncoding("utf8");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    isStream: response.headers["content-type"]?.startsWith("text/event-stream") === true,
    async text() {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      return text;
    },
    async *events() {
      let rest = "";
      for await (const chunk of response) {
        const blocks = (rest + String(chunk)).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) yield toEvent(block);
      }
    },
    destroy: () => void response.destroy(),
  };
}

function toEvent(block: string): ServerEvent {
  const read = (field: string) => new RegExp(`^${field}: ?(.*)$`, "m").exec(block)?.[1];
  return { id: read("id"), type: read("event") ?? "message", data: read("data") ?? "" };
}
