/**
 * @fileoverview A transport over Streamable HTTP: each message is a POST, and its response is JSON or a stream of
 * events. Error messages contain no URL, header or token.
 * @module cli/client/http-transport
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
  type TransportEvents,
} from "./transport.js";

/** URL of the server, and the headers of every request. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
}

/** Opens a transport to a server over HTTP. Nothing is sent yet. */
export function openHttpTransport(endpoint: Endpoint, events: TransportEvents): Transport {
  return new HttpTransport(endpoint, events);
}

/** Maximum number of times an interrupted stream is resumed, and the longest wait before that. */
const MAX_RESUMES = 100;
const MAX_RETRY_MS = 10_000;
/** Time for ending the session, in milliseconds. */
const CLOSE_MS = 1_000;

interface HttpRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
  readonly body?: string;
}

class HttpTransport implements Transport {
  readonly isHttp = true;
  readonly #endpoint: Endpoint;
  readonly #events: TransportEvents;
  #sessionId: string | undefined;
  /** Value of the version header, which a session requires after `initialize`. */
  #version: string | undefined;

  constructor(endpoint: Endpoint, events: TransportEvents) {
    this.#endpoint = endpoint;
    this.#events = events;
  }

  async send(message: JsonObject, options: SendOptions = {}): Promise<void> {
    const { id } = message;
    const headers = this.#headers({ "content-type": "application/json", ...options.headers });
    const body = JSON.stringify(message);
    const response = await this.#fetch({ method: "POST", headers, signal: options.signal, body });
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
      throw ok ? new TransportError("The server's response contains no JSON-RPC message.") : failure(status);
    }
  }

  async close(): Promise<void> {
    if (this.#sessionId === undefined) return;
    // Best effort: servers also close idle sessions by themselves.
    const signal = AbortSignal.timeout(CLOSE_MS);
    await this.#fetch({ method: "DELETE", headers: this.#headers({}), signal })
      .then((response) => response.body?.cancel())
      .catch(() => undefined);
  }

  /** Delivers the messages of a response. Resolves to true if the reply was among them. */
  async #take(response: Response, id: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    const type = (response.headers.get("content-type") ?? "").toLowerCase();
    if (!type.startsWith("text/event-stream")) {
      const text = await readText(response.body, CLIENT_LIMITS.maxBytes);
      const reply = readMessage(text);
      if (reply === undefined) return false;
      // An error without an id belongs to the request that was posted.
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
      const headers = this.#headers({ "last-event-id": last });
      stream = await this.#fetch({ method: "GET", headers, signal });
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
        const message = event.data === undefined ? undefined : readMessage(event.data);
        if (message === undefined) continue;
        this.#deliver(message);
        if (message["id"] === id && message["method"] === undefined) return { replied: true, last, retryMs };
      }
    } catch (error) {
      // A broken stream can be resumed, unless the request was aborted or an event was too long.
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

  async #fetch({ method, headers, signal, body }: HttpRequest): Promise<Response> {
    try {
      return await fetch(this.#endpoint.url, {
        method,
        headers,
        // A token must not be sent to another URL.
        redirect: "manual",
        ...(signal === undefined ? {} : { signal }),
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw new TransportError(`The server cannot be reached: ${reasonOf(error)}.`);
    }
  }
}

function readMessage(text: string): JsonObject | undefined {
  const parsed = parseFrame(text, CLIENT_LIMITS);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

function failure(status: number): TransportError {
  if (status === 401) {
    return new TransportError(
      "The server requires authorization (HTTP 401). Pass a token with --bearer-env.",
      status,
    );
  }
  if (status === 403) return new TransportError("The server denies access (HTTP 403).", status);
  if (status >= 300 && status < 400) {
    return new TransportError(
      `The server redirects to another URL (HTTP ${status}). Use that URL instead.`,
      status,
    );
  }
  return new TransportError(`The server responded with HTTP ${status}.`, status);
}

/** Returns Node's error code, such as ECONNREFUSED. Node's messages may contain the URL. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code ?? "the connection failed";
}
