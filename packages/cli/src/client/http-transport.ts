/**
 * @fileoverview Transport over Streamable HTTP. Each message is a POST request, and its response is JSON or an event
 * stream. Error messages never contain the request's URL, headers, or token.
 * @module cli/client/http-transport
 */
import { setTimeout } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/command-line/text";
import { parseFrame } from "tenon/protocol";
import { readEvents, readText } from "./read-body.js";
import { readRefusal } from "./refusal.js";
import {
  CLIENT_LIMITS,
  type SendOptions,
  type Transport,
  TransportError,
  type TransportEvents,
} from "./transport.js";

/** The server's URL and the headers to send with every request. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
}

/** Creates a transport to an HTTP server. The first message opens the connection. */
export function openHttpTransport(endpoint: Endpoint, events: TransportEvents): Transport {
  return new HttpTransport(endpoint, events);
}

/** Maximum number of attempts to resume an interrupted stream, and the longest wait before each attempt. */
const MAX_RESUMES = 100;
const MAX_RETRY_MS = 10_000;
/** Time limit for ending the session, in milliseconds. */
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
  readonly #closing = new AbortController();
  #sessionId: string | undefined;
  /** Value of `MCP-Protocol-Version`, which a session requires after `initialize`. */
  #version: string | undefined;

  constructor(endpoint: Endpoint, events: TransportEvents) {
    this.#endpoint = endpoint;
    this.#events = events;
  }

  async send(message: JsonObject, options: SendOptions = {}): Promise<void> {
    const { id, method } = message;
    const headers = this.#headers({ "content-type": "application/json", ...options.headers });
    const body = JSON.stringify(message);
    const response = await this.#fetch({ method: "POST", headers, signal: options.signal, body });
    const session = response.headers.get("mcp-session-id");
    if (session !== null && /^[\x21-\x7e]{1,1000}$/.test(session)) this.#sessionId ??= session;
    const { ok, status } = response;
    if (status === 401 || status === 403) throw await readRefusal(response, this.#endpoint.headers);
    // Only requests receive a reply. Notifications and responses to the server do not.
    if (id === undefined || method === undefined || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      if (!ok) throw failure(response);
      return;
    }
    if (!(await this.#take(response, id, options.signal))) {
      throw ok ? new TransportError(NOT_MCP) : failure(response);
    }
  }

  listen(): void {
    if (this.#sessionId === undefined) return;
    const { signal } = this.#closing;
    const headers = this.#headers({});
    // Servers may reject this request. Messages that belong to a request arrive in its own stream.
    void this.#fetch({ method: "GET", headers, signal })
      .then(async (stream) => {
        if (stream.ok) await this.#pump(stream, undefined, signal);
        else await stream.body?.cancel();
      })
      .catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#sessionId === undefined) return;
    // A failure is harmless, because servers also close idle sessions.
    const signal = AbortSignal.timeout(CLOSE_MS);
    await this.#fetch({ method: "DELETE", headers: this.#headers({}), signal })
      .then((response) => response.body?.cancel())
      .catch(() => undefined);
  }

  /** Delivers a response's messages. Resolves to true if they include the reply to the request. */
  async #take(response: Response, id: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    const type = (response.headers.get("content-type") ?? "").toLowerCase();
    if (!type.startsWith("text/event-stream")) {
      const text = await readText(response.body, CLIENT_LIMITS.maxBytes);
      const reply = readMessage(text);
      if (reply === undefined) return false;
      // An error without an ID is the response to the posted request.
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
        if (id !== undefined && message["id"] === id && message["method"] === undefined)
          return { replied: true, last, retryMs };
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
        // Following a redirect could send the token to a different server.
        redirect: "manual",
        ...(signal === undefined ? {} : { signal }),
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw new TransportError(
        `Could not reach the server: ${reasonOf(error)}. Check the URL and that the server is running.`,
      );
    }
  }
}

function readMessage(text: string): JsonObject | undefined {
  const parsed = parseFrame(text, CLIENT_LIMITS);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

const NOT_MCP =
  "The server's response does not contain a JSON-RPC message. Check that the URL is an MCP endpoint.";

function failure({ status, headers, url }: Response): TransportError {
  if (status >= 300 && status < 400) {
    const target = readTarget(headers.get("location"), url);
    return new TransportError(
      `The server redirects to ${target} (HTTP ${status}). Redirects are not followed. Use that URL instead.`,
      status,
    );
  }
  if (status === 404 || status === 405) {
    return new TransportError(
      `The URL is not an MCP endpoint (HTTP ${status}). Check its path, which is usually /mcp.`,
      status,
    );
  }
  return new TransportError(`The server responded with HTTP ${status}. Check the server's log.`, status);
}

/** Returns a redirect's target without its query, which may repeat a secret from the request. */
function readTarget(location: string | null, base: string): string {
  if (location === null || !URL.canParse(location, base)) return "a different URL";
  const { origin, pathname } = new URL(location, base);
  return oneLine(`${origin}${pathname}`);
}

/** Returns Node's error code, such as ECONNREFUSED. Its messages are not used, because they may contain the URL. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code ?? "the connection failed";
}
