/**
 * @fileoverview HTTP transports of the soak test: Streamable HTTP in both eras, and the old HTTP+SSE transport.
 * @module tools/soak/http-wires
 */
import { Agent } from "node:http";
import { type Era, type Json, type OpenWire, REVISION, type Wire } from "./client.js";
import { type HttpResponse, send } from "./http.js";

/** Opens Streamable HTTP on a port. Each client has its own connections. */
export function streamableHttp(port: number): OpenWire {
  return async (era, take) => new HttpWire(port, era, take);
}

/** Returns the headers of a message in the stateless revision. */
export function modernHeaders({ method, params }: Json): Readonly<Record<string, string>> {
  const { name, uri, taskId } = (params ?? {}) as Json; // Safe: only read
  const named = method === "resources/read" ? uri : (name ?? taskId);
  return {
    "mcp-protocol-version": REVISION.modern,
    ...(typeof method === "string" ? { "mcp-method": method } : {}),
    ...(typeof named === "string" ? { "mcp-name": named } : {}),
  };
}

/** Returns the headers of a request in a session. */
export function sessionHeaders(session: string): Readonly<Record<string, string>> {
  return { "mcp-session-id": session, "mcp-protocol-version": REVISION.legacy };
}

class HttpWire implements Wire {
  readonly cancelsByLeaving: boolean;
  readonly #port: number;
  readonly #era: Era;
  readonly #take: (message: Json) => void;
  readonly #agent = new Agent({ keepAlive: true });
  #session: string | undefined;

  constructor(port: number, era: Era, take: (message: Json) => void) {
    this.cancelsByLeaving = era === "modern";
    this.#port = port;
    this.#era = era;
    this.#take = take;
  }

  async send(message: Json, signal?: AbortSignal): Promise<void> {
    const leave = this.cancelsByLeaving ? signal : undefined;
    const headers = this.#headers(message);
    const response = await send({ port: this.#port, headers, body: message, agent: this.#agent }, leave);
    const session = response.headers["mcp-session-id"];
    if (typeof session === "string") this.#session = session;
    const needsReply = message["id"] !== undefined && message["method"] !== undefined;
    if (!needsReply) {
      await response.text();
      if (response.status !== 202) throw new Error(`a notification got status ${response.status}`);
      if (message["method"] === "notifications/initialized") await this.#listen();
      return;
    }
    const reading = this.#read(response);
    // The connection of a cancelled request ends with an error.
    void reading.catch(() => undefined);
    if (!response.isStream) await reading;
  }

  async close(isPolite: boolean): Promise<void> {
    if (isPolite && this.#session !== undefined) {
      const headers = sessionHeaders(this.#session);
      const response = await send({ port: this.#port, method: "DELETE", headers, agent: this.#agent });
      await response.text();
      if (response.status !== 204) throw new Error(`DELETE got status ${response.status}`);
    }
    this.#agent.destroy();
  }

  /** Opens the stream for messages that do not belong to a call. */
  async #listen(): Promise<void> {
    const headers = sessionHeaders(this.#session ?? "");
    const response = await send({ port: this.#port, method: "GET", headers, agent: this.#agent });
    if (response.status !== 200) throw new Error(`GET got status ${response.status}`);
    void this.#read(response).catch(() => undefined);
  }

  async #read(response: HttpResponse): Promise<void> {
    if (!response.isStream) return this.#take(JSON.parse(await response.text()) as Json); // Safe: only read
    for await (const { data } of response.events()) if (data !== "") this.#take(JSON.parse(data) as Json); // Safe: only read
  }

  #headers(message: Json): Readonly<Record<string, string>> {
    if (this.#era === "modern") return modernHeaders(message);
    return this.#session === undefined ? {} : sessionHeaders(this.#session);
  }
}

/** Opens the HTTP+SSE transport on a port. */
export function httpWithSse(port: number): OpenWire {
  return async (_era, take) => {
    const agent = new Agent({ keepAlive: true });
    const stream = await send({ port, method: "GET", path: "/sse", agent });
    if (stream.status !== 200) throw new Error(`GET /sse got status ${stream.status}`);
    const events = stream.events();
    const { value: first } = await events.next();
    if (first?.type !== "endpoint") throw new Error(`the first event is ${JSON.stringify(first)}`);
    const path = first.data;
    const reading = (async () => {
      for await (const { data } of events) if (data !== "") take(JSON.parse(data) as Json); // Safe: only read
    })();
    void reading.catch(() => undefined); // the client ends the stream
    return {
      cancelsByLeaving: false,
      async send(message) {
        const response = await send({ port, path, body: message, agent });
        await response.text();
        if (response.status !== 202) throw new Error(`a message got status ${response.status}`);
      },
      // The session ends with its stream, so a polite client cannot do more.
      async close() {
        agent.destroy();
      },
    };
  };
}
