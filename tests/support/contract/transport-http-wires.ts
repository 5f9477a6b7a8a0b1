/**
 * @fileoverview Streamable HTTP transports for the contract client, with and without a socket.
 * @module tests/support/contract/transport-http-wires
 */
import type { JsonObject } from "@tenon/internal/json";
import { type Revision, REVISIONS, TRAITS } from "tenon/protocol";
import { toFetch } from "tenon/fetch";
import { listen, toNodeHandler } from "tenon/node";
import type { OpenWire, Wire } from "./transport-client.js";
import { createContractServer } from "./transport-server.js";
import { readEvents } from "./transport-sse.js";

/** Opens `node:http` on a loopback port. Without `directBodies`, request bodies are read as streams. */
export const openNodeHttp =
  (directBodies: boolean): OpenWire =>
  async (revision, take) => {
    const handler = toNodeHandler(createContractServer());
    const http = await listen(handler, { port: 0, directBodies });
    const wire = new HttpWire(revision, take, `http://127.0.0.1:${http.port}/mcp`, fetch);
    return closing(wire, async () => {
      await handler.close(1_000);
      await http.close();
    });
  };

/** Calls the `toFetch` handler directly, without a socket. */
export const openFetch: OpenWire = async (revision, take) => {
  const handler = toFetch(createContractServer());
  const send = (url: string, init: RequestInit) => handler(new Request(url, init));
  const wire = new HttpWire(revision, take, "http://localhost/mcp", send);
  return closing(wire, () => handler.close(1_000));
};

function closing(wire: HttpWire, then: () => Promise<void>): Wire {
  return {
    cancelsByLeaving: wire.cancelsByLeaving,
    send: (message, signal) => wire.send(message, signal),
    async close() {
      await wire.close();
      await then();
    },
  };
}

type Send = (url: string, init: RequestInit) => Promise<Response>;

class HttpWire implements Wire {
  readonly cancelsByLeaving: boolean;
  readonly #revision: Revision;
  readonly #take: (message: JsonObject) => void;
  readonly #url: string;
  readonly #send: Send;
  readonly #leaving = new AbortController();
  #session: string | undefined;

  constructor(revision: Revision, take: (message: JsonObject) => void, url: string, send: Send) {
    this.cancelsByLeaving = TRAITS[revision].stateless;
    this.#revision = revision;
    this.#take = take;
    this.#url = url;
    this.#send = send;
  }

  async send(message: JsonObject, signal?: AbortSignal): Promise<void> {
    const leave = this.cancelsByLeaving && signal !== undefined ? [signal] : [];
    const left = AbortSignal.any([this.#leaving.signal, ...leave]);
    const response = await this.#send(this.#url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...this.#headers(message),
      },
      body: JSON.stringify(message),
      signal: left,
    });
    this.#session ??= response.headers.get("mcp-session-id") ?? undefined;
    if (message["method"] === "notifications/initialized") await this.#listen();
    if (message["id"] === undefined || message["method"] === undefined) {
      if (response.status !== 202)
        throw new Error(`Expected HTTP 202 for a message without a reply; got ${response.status}.`);
      await response.body?.cancel();
    } else this.#read(response, left);
  }

  async close(): Promise<void> {
    if (this.#session !== undefined) {
      const response = await this.#send(this.#url, { method: "DELETE", headers: this.#headers({}) });
      if (response.status !== 204)
        throw new Error(`Expected HTTP 204 for the end of the session; got ${response.status}.`);
    }
    this.#leaving.abort();
  }

  /** Opens the stream for server-initiated messages. */
  async #listen(): Promise<void> {
    const response = await this.#send(this.#url, {
      method: "GET",
      headers: { accept: "text/event-stream", ...this.#headers({}) },
      signal: this.#leaving.signal,
    });
    if (response.status !== 200)
      throw new Error(`Expected HTTP 200 for the GET stream; got ${response.status}.`);
    this.#read(response, this.#leaving.signal);
  }

  /** Reads a JSON reply, or an event stream until it ends. */
  #read(response: Response, left: AbortSignal): void {
    void this.#readAll(response).catch((error: unknown) => {
      // Read errors are expected after an abort.
      if (!left.aborted) this.#take({ broken: String(error) });
    });
  }

  async #readAll(response: Response): Promise<void> {
    if (response.headers.get("content-type") === "application/json") {
      this.#take((await response.json()) as JsonObject);
      return;
    }
    for await (const { data } of readEvents(response)) {
      if (data !== "") this.#take(JSON.parse(data) as JsonObject);
    }
  }

  #headers({ method: said, params }: JsonObject): Record<string, string> {
    const method = typeof said === "string" ? said : undefined;
    const { name, uri } = (params ?? {}) as JsonObject;
    const named = ["tools/call", "prompts/get", "resources/read"].includes(method ?? "");
    // Clients of revisions before 2025-06-18 do not send the header.
    const tellsVersion = this.cancelsByLeaving || (this.#session !== undefined && isSince(this.#revision));
    return {
      ...(tellsVersion ? { "mcp-protocol-version": this.#revision } : {}),
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(this.cancelsByLeaving && method !== undefined ? { "mcp-method": method } : {}),
      ...(this.cancelsByLeaving && named ? { "mcp-name": String(name ?? uri) } : {}),
    };
  }
}

function isSince(revision: Revision): boolean {
  return REVISIONS.indexOf(revision) >= REVISIONS.indexOf("2025-06-18");
}
