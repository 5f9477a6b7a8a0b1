/**
 * @fileoverview Client of legacy sessions: requests to any node, and event streams that resume on any node.
 * @module tools/chaos/legacy-client
 */
import { request } from "node:http";
import { type Json, post, type Response, type Target } from "./http.js";

const REVISION = "2025-11-25";

/** Event of a stream. */
export interface StreamEvent {
  /** Absent in events that cannot be resumed. */
  readonly id?: string;
  /** Message. Absent in an event that only has an ID. */
  readonly message?: Json;
}

/** Session of one principal. */
export class LegacyClient {
  readonly id: string;
  readonly principal: string;
  #lastId = 0;

  private constructor(id: string, principal: string) {
    this.id = id;
    this.principal = principal;
  }

  /** Opens a session on a node. @throws if the node does not open it */
  static async open(node: Target, principal: string): Promise<LegacyClient> {
    const capabilities = {};
    const clientInfo = { name: "chaos", version: "1.0.0" };
    const { headers, error } = await post({
      port: node.port,
      headers: { authorization: `Bearer ${principal}` },
      body: toRequest(0, "initialize", { protocolVersion: REVISION, capabilities, clientInfo }),
    });
    const id = headers["mcp-session-id"];
    if (typeof id !== "string") throw new Error(`Could not open a session: ${error?.message ?? "no ID"}`);
    const client = new LegacyClient(id, principal);
    await client.send(node, { jsonrpc: "2.0", method: "notifications/initialized" });
    return client;
  }

  /** Sends a request. */
  request(node: Target, method: string, params: Json): Promise<Response> {
    return this.send(node, toRequest(++this.#lastId, method, params));
  }

  /** Sends a message. */
  send(node: Target, body: Json): Promise<Response> {
    return post({ port: node.port, headers: this.headers, body });
  }

  /** Creates a request with a new ID. */
  createRequest(method: string, params: Json): Json {
    return toRequest(++this.#lastId, method, params);
  }

  /** Headers of every request. */
  get headers(): Readonly<Record<string, string>> {
    return {
      authorization: `Bearer ${this.principal}`,
      "mcp-session-id": this.id,
      "mcp-protocol-version": REVISION,
    };
  }
}

/** Stream to open: with a request (POST), or without one (GET), after an event ID if there is one. */
export interface StreamOptions {
  readonly node: Target;
  readonly client: Pick<LegacyClient, "headers">;
  readonly body?: Json;
  readonly lastEventId?: string;
  readonly onEvent: (event: StreamEvent) => void;
}

/** Open connection. */
export interface OpenStream {
  /** Resolves when the connection has ended, with its status. 0 if it failed. */
  readonly closed: Promise<number>;
  close(): void;
}

/** Opens a stream. */
export function openStream({ node, client, body, lastEventId, onEvent }: StreamOptions): OpenStream {
  let isClosed = false;
  let close = () => undefined as void;
  const closed = new Promise<number>((resolve) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: node.port,
        path: "/mcp",
        method: body === undefined ? "GET" : "POST",
        agent: false,
        headers: {
          ...client.headers,
          accept: body === undefined ? "text/event-stream" : "application/json, text/event-stream",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
        },
      },
      (response) => {
        const { statusCode = 0 } = response;
        const isStream = response.headers["content-type"]?.includes("text/event-stream") === true;
        const parse = createParser((event) => {
          if (!isClosed) onEvent(event);
        });
        response.setEncoding("utf8");
        if (isStream) response.on("data", parse);
        response.resume();
        response.once("error", () => resolve(statusCode));
        response.once("close", () => resolve(statusCode));
      },
    );
    sent.once("error", () => resolve(0));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    close = () => {
      isClosed = true;
      sent.destroy();
      resolve(0);
    };
  });
  return { closed, close };
}

/** Creates a function that receives text and calls `onEvent` for each complete event. */
function createParser(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const read = (field: string) => new RegExp(`^${field}: ?(.*)$`, "m").exec(block)?.[1];
      const [id, data] = [read("id"), read("data")];
      if (id === undefined && data === undefined) continue;
      // Safe: messages of the server under test, whose members are checked by their users.
      const message = data === undefined || data === "" ? {} : { message: JSON.parse(data) as Json };
      onEvent({ ...(id === undefined ? {} : { id }), ...message });
    }
  };
}

function toRequest(id: number, method: string, params: Json): Json {
  return { jsonrpc: "2.0", id, method, params };
}
