/**
 * @fileoverview Client with a legacy session.
 * @module tools/attack/clients/sessions
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Endpoint, OpenReply } from "./endpoints.js";
import {
  type HeaderLine,
  initializeRequest,
  type Json,
  LEGACY,
  legacyBody,
  PLAIN,
  type WireReply,
} from "./messages.js";

/** Session of one client. */
export class LegacySession {
  readonly id: string;
  readonly #endpoint: Endpoint;
  readonly #headers: readonly HeaderLine[];
  #lastId = 0;

  private constructor(endpoint: Endpoint, id: string, more: readonly HeaderLine[]) {
    this.#endpoint = endpoint;
    this.id = id;
    this.#headers = [["Mcp-Session-Id", id], ["MCP-Protocol-Version", LEGACY], ...more];
  }

  /** Opens a session. @throws if the server does not open one */
  static async open(endpoint: Endpoint, more: readonly HeaderLine[] = []): Promise<LegacySession> {
    const opened = await endpoint.send(initializeRequest(more));
    const id = opened.headers["mcp-session-id"];
    if (id === undefined) throw new Error(`Could not open a session: ${opened.status} ${opened.body}`);
    const session = new LegacySession(endpoint, id, more);
    await session.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return session;
  }

  /** Sends a message. */
  post(message: unknown): Promise<WireReply> {
    return this.#endpoint.send({ headers: [...PLAIN, ...this.#headers], body: JSON.stringify(message) });
  }

  /** Sends a request, and waits for its response. */
  request(method: string, params: Json): Promise<WireReply> {
    const id = `request ${++this.#lastId}`;
    return this.post({ jsonrpc: "2.0", id, method, params });
  }

  /** Sends a request, and returns its stream. */
  start(method: string, params: Json, id: number): Promise<OpenReply> {
    return this.#endpoint.open({
      headers: [...PLAIN, ...this.#headers],
      body: legacyBody(method, params, id),
    });
  }

  /** Opens the stream for messages of the server. */
  listen(): Promise<OpenReply> {
    return this.#get([]);
  }

  /** Resumes a stream. */
  resume(lastEventId: string): Promise<OpenReply> {
    return this.#get([["Last-Event-ID", lastEventId]]);
  }

  /** Ends the session. */
  end(): Promise<WireReply> {
    return this.#endpoint.send({ method: "DELETE", headers: [["Host", "localhost"], ...this.#headers] });
  }

  #get(more: readonly HeaderLine[]): Promise<OpenReply> {
    const headers: readonly HeaderLine[] = [
      ["Host", "localhost"],
      ["Accept", "text/event-stream"],
      ...this.#headers,
      ...more,
    ];
    return this.#endpoint.open({ method: "GET", headers });
  }
}

/** Repeats a check until it returns a value other than `undefined`. @throws after two minutes */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Timed out: ${what}`);
    await sleep(5);
  }
}
