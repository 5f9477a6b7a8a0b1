/**
 * @fileoverview A wire over Streamable HTTP: each message is posted, and its answer is JSON or a stream of events. No
 * address, header or token stands in an error.
 * @module cli/client/http-wire
 */
import { setTimeout } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { parseFrame } from "tenon/protocol";
import { readEvents, readText } from "./read-body.js";
import {
  CLIENT_LIMITS,
  type SendOptions,
  type Transport,
  TransportError,
  type WireEvents,
} from "./transport.js";

/** Where the server is, and what every request carries. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
}

/** Connects to a server over HTTP; nothing is sent yet. */
export function openHttpTransport(endpoint: Endpoint, events: WireEvents): Transport {
  return new HttpTransport(endpoint, events);
}

/** How often a stream that was cut is taken up again, and the longest wait before it is. */
const MAX_RESUMES = 100;
const MAX_RETRY_MS = 10_000;
const GOODBYE_MS = 1_000;

class HttpTransport implements Transport {
  readonly isHttp = true;
  readonly #endpoint: Endpoint;
  readonly #events: WireEvents;
  #sessionId: string | undefined;
  /** The version header that a session asks for, once its `initialize` was answered. */
  #version: string | undefined;

  constructor(endpoint: Endpoint, events: WireEvents) {
    this.#endpoint = endpoint;
    this.#events = events;
  }

  async send(message: JsonObject, options: SendOptions = {}): Promise<void> {
    const { id } = message;
    const headers = this.#headers({ "content-type": "application/json", ...options.headers });
    const response = await this.#fetch("POST", headers, options.signal, JSON.stringify(message));
    const session = response.headers.get("mcp-session-id");
    if (session !== null && /^[\x21-\x7e]{1,1000}$/.test(session)) this.#sessionId ??= session;
    const { ok, status } = response;
    const isClosed = status === 401 || status === 403 || (status >= 300 && status < 400);
    if (id === undefined || isClosed) {
      await response.body?.cancel();
      if (!ok) throw failure(status);
      return;
    }
    if (!(await this.#take(response, id, options.signal))) {
      throw ok ? new TransportError("The server gave no reply") : failure(status);
    }
  }

  async close(): Promise<void> {
    if (this.#sessionId === undefined) return;
    // Out of courtesy: a server forgets sessions by itself, in time.
    await this.#fetch("DELETE", this.#headers({}), AbortSignal.timeout(GOODBYE_MS))
      .then((response) => response.body?.cancel())
      .catch(() => undefined);
  }

  /** Hands on what the answer has; whether the reply was in it. */
  async #take(response: Response, id: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    const type = (response.headers.get("content-type") ?? "").toLowerCase();
    if (!type.startsWith("text/event-stream")) {
      const text = await readText(response.body, CLIENT_LIMITS.maxBytes);
      const reply = parseMessage(text);
      if (reply === undefined) return false;
      // An error that could not name its request belongs to the one that was posted.
      const isOurs = reply["id"] === id || (!response.ok && isJsonObject(reply["error"]));
      if (isOurs) this.#deliver({ ...reply, id });
      return isOurs;
    }
    let stream: Response | undefined = response;
    for (let resumes = 0; stream !== undefined && resumes < MAX_RESUMES; resumes++) {
      const { replied, last, retryMs } = await this.#pump(stream, id, signal);
      if (replied) return true;
      if (last === undefined || this.#sessionId === undefined) return false;
      await setTimeout(
        Math.min(retryMs ?? 1_000, MAX_RETRY_MS),
        undefined,
        signal === undefined ? {} : { signal },
      );
      stream = await this.#fetch("GET", this.#headers({ "last-event-id": last }), signal);
      if (!stream.ok) return false;
    }
    return false;
  }

  async #pump(stream: Response, id: unknown, signal: AbortSignal | undefined) {
    let last: string | undefined;
    let retryMs: number | undefined;
    if (stream.body === null) return { replied: false, last, retryMs };
    try {
      for await (const event of readEvents(stream.body, CLIENT_LIMITS.maxBytes)) {
        last = event.id ?? last;
        retryMs = event.retryMs ?? retryMs;
        const message = event.data === undefined ? undefined : parseMessage(event.data);
        if (message === undefined) continue;
        this.#deliver(message);
        if (message["id"] === id && message["method"] === undefined) return { replied: true, last, retryMs };
      }
    } catch (error) {
      // A stream that broke may be taken up again; one that was given up, or is too long, not.
      if (signal?.aborted === true || error instanceof TransportError) throw error;
    }
    return { replied: false, last, retryMs };
  }

  #deliver(message: JsonObject): void {
    const { result } = message;
    const version = isJsonObject(result) ? result["protocolVersion"] : undefined;
    if (typeof version === "string" && /^[\w-]{1,40}$/.test(version)) this.#version ??= version;
    this.#events.onMessage(message);
  }

  #headers(more: Readonly<Record<string, string>>): Headers {
    const headers = new Headers([...this.#endpoint.headers] as [string, string][]);
    headers.set("accept", "application/json, text/event-stream");
    if (this.#sessionId !== undefined) headers.set("mcp-session-id", this.#sessionId);
    if (this.#version !== undefined) headers.set("mcp-protocol-version", this.#version);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return headers;
  }

  async #fetch(method: string, headers: Headers, signal?: AbortSignal, body?: string): Promise<Response> {
    try {
      return await fetch(this.#endpoint.url, {
        method,
        headers,
        // A token must not follow to another place.
        redirect: "manual",
        ...(signal === undefined ? {} : { signal }),
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw new TransportError(`The server cannot be reached: ${reasonOf(error)}`);
    }
  }
}

function parseMessage(text: string): JsonObject | undefined {
  const parsed = parseFrame(text, CLIENT_LIMITS);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

function failure(status: number): TransportError {
  if (status === 401) {
    return new TransportError(
      "The server asks for authorization (HTTP 401): give a token with --bearer-env",
      status,
    );
  }
  if (status === 403) return new TransportError("The server refuses access (HTTP 403)", status);
  if (status >= 300 && status < 400) {
    return new TransportError(
      `The server sends elsewhere (HTTP ${status}): give the address it has now`,
      status,
    );
  }
  return new TransportError(`The server answered with HTTP ${status}`, status);
}

/** A word of Node's own, such as ECONNREFUSED: its sentences may hold the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code ?? "the connection failed";
}
