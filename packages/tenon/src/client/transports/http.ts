/**
 * @fileoverview Client transport over Streamable HTTP. Each message is a POST request, and its response is JSON or an
 * event stream. Error messages never contain the request's URL, headers, or token.
 * @module tenon/client/transports/http
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { ConnectionError } from "../errors.js";
import type { ClientAuthorization } from "./authorization.js";
import { delay } from "./delay.js";
import { asksForScopes, httpFailure, readRejection } from "./http-failure.js";
import { type Fetch, HttpSender, type SentRequest } from "./http-sender.js";
import { readEvents, readText } from "./read-body.js";
import {
  type ClientTransport,
  messageLimits,
  type OpenTransport,
  parseMessage,
  type SendOptions,
  type TransportEvents,
} from "./transport.js";
import { type Trace, traceRequest, traceResponse } from "./trace.js";

/** HTTP endpoint, and the options of its requests. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: ClientAuthorization | undefined;
  readonly fetch: Fetch | undefined;
  /** Repeats requests that have not reached the server. */
  readonly reconnect: boolean;
  readonly trace: Trace | undefined;
}

/** Creates a function that connects to an HTTP server. The first message opens the connection. */
export function toHttp(endpoint: Endpoint): OpenTransport {
  assertSafe(endpoint);
  return (events) => new HttpTransport(endpoint, events);
}

/** Rejects an endpoint that would send credentials in plain text. @throws {TypeError} */
function assertSafe({ url, authorization }: Endpoint): void {
  if (url.username !== "" || url.password !== "")
    throw new TypeError("The server's URL must not contain a user name or password. Use `headers` instead.");
  if (authorization !== undefined && url.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw new TypeError("`authorization` requires an https URL, unless the server runs on this machine.");
}

/** Maximum number of attempts to resume an interrupted stream, and the wait before each attempt, in milliseconds. */
const MAX_RESUMES = 100;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;
const DEFAULT_RETRY_MS = 1_000;
/** Maximum number of new tokens for one request. */
const MAX_RENEWALS = 3;
/** Time limit for ending the session, in milliseconds. */
const CLOSE_MS = 1_000;

/** Outcome of reading an event stream. */
interface StreamEnd {
  /** True if the stream contained the reply to the request. */
  readonly replied: boolean;
  /** ID of the last event, if the stream can be resumed. */
  readonly last: string | undefined;
  readonly retryMs: number | undefined;
}

/** One HTTP request. */
interface HttpRequest extends Omit<SentRequest, "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
}

class HttpTransport implements ClientTransport {
  readonly isHttp = true;
  readonly #endpoint: Endpoint;
  readonly #events: TransportEvents;
  readonly #sender: HttpSender;
  readonly #closing = new AbortController();
  #sessionId: string | undefined;
  /** Value of `MCP-Protocol-Version`, which a session requires after `initialize`. */
  #version: string | undefined;

  constructor(endpoint: Endpoint, events: TransportEvents) {
    this.#endpoint = endpoint;
    this.#events = events;
    this.#sender = new HttpSender(endpoint);
  }

  async send(message: JsonObject, options: SendOptions): Promise<void> {
    const { id, method } = message;
    const { signal, headers = {} } = options;
    const hadSession = this.#sessionId !== undefined;
    const response = await this.#request({
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      signal,
      body: JSON.stringify(message),
      isRepeatable: typeof method === "string" && REPEATABLE.test(method),
    });
    const { ok, status } = response;
    const session = response.headers.get("mcp-session-id");
    if (ok && session !== null && /^[\x21-\x7e]{1,1000}$/.test(session)) this.#sessionId ??= session;
    if (status === 404 && hadSession) {
      await this.#discard(response);
      throw new ConnectionError("The server no longer knows the session (HTTP 404).", {
        code: "session-expired",
        status,
      });
    }
    // Only requests receive a reply. Notifications and responses to the server do not.
    if (id === undefined || method === undefined || (status >= 300 && status < 400)) {
      await this.#discard(response);
      if (!ok) throw httpFailure(response);
      return;
    }
    if (!(await this.#take(response, id, signal))) throw ok ? incomplete(response) : httpFailure(response);
  }

  listen(): void {
    if (this.#sessionId !== undefined) void this.#listen(this.#sessionId).catch(() => undefined);
  }

  reset(): void {
    this.#sessionId = undefined;
    this.#version = undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#sessionId === undefined) return;
    // A failure is harmless, because servers also close idle sessions.
    await this.#request({ method: "DELETE", signal: AbortSignal.timeout(CLOSE_MS) })
      .then((response) => this.#discard(response))
      .catch(() => undefined);
  }

  /** Receives the messages that do not belong to a request. Servers may reject the stream. */
  async #listen(sessionId: string): Promise<void> {
    const { signal } = this.#closing;
    let last: string | undefined;
    for (let failures = 0; failures < MAX_RESUMES && this.#sessionId === sessionId;) {
      try {
        const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": last };
        const stream = await this.#request({ method: "GET", headers, signal, isRepeatable: true });
        if (!stream.ok) return await this.#discard(stream);
        const end = await this.#pump(stream, undefined, signal);
        failures = end.last === undefined ? failures + 1 : 0;
        last = end.last ?? last;
        await delay(readRetry(end), signal);
      } catch (error) {
        if (!(error instanceof ConnectionError) || error.code !== "protocol") throw error;
        // A request in flight may wait for the message that was refused.
        this.#events.onRefused(error, undefined);
        // The server would send the same message again if the stream was resumed.
        last = undefined;
        await delay(Math.min(MIN_RETRY_MS * 2 ** failures++, MAX_RETRY_MS), signal);
      }
    }
  }

  /** Delivers a response's messages. Resolves to true if they include the reply to the request. */
  async #take(response: Response, id: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    if (!isEventStream(response)) {
      const reply = await this.#readReply(response);
      // A request of the server may have the same ID.
      if (reply === undefined || reply["method"] !== undefined) return false;
      // An error without an ID is the response to the posted request.
      const isOurs = reply["id"] === id || (!response.ok && isJsonObject(reply["error"]));
      if (isOurs) await this.#deliver({ ...reply, id });
      return isOurs;
    }
    let stream: Response | undefined = response;
    let last: string | undefined;
    for (let resumes = 0; stream !== undefined && resumes < MAX_RESUMES; resumes++) {
      const end: StreamEnd = await this.#pump(stream, id, signal);
      if (end.replied) return true;
      last = end.last ?? last;
      if (last === undefined || this.#sessionId === undefined) return false;
      await delay(readRetry(end), signal);
      const headers = { "last-event-id": last };
      stream = await this.#request({ method: "GET", headers, signal, isRepeatable: true });
      if (!stream.ok) return false;
    }
    return false;
  }

  /** Reads the message in a body of JSON. @throws {ConnectionError} if it exceeds a limit */
  async #readReply(response: Response): Promise<JsonObject | undefined> {
    const { limits, memory } = this.#events;
    const text = await readText(response.body, limits.maxMessageBytes, memory);
    traceResponse(this.#endpoint.trace, response, text);
    return this.#read(text);
  }

  #read(text: string): JsonObject | undefined {
    const parsed = parseMessage(text, messageLimits(this.#events.limits));
    if (parsed.kind === "refused") throw parsed.reason;
    return parsed.kind === "message" ? parsed.message : undefined;
  }

  async #pump(stream: Response, id: unknown, signal: AbortSignal | undefined): Promise<StreamEnd> {
    let last: string | undefined;
    let retryMs: number | undefined;
    if (stream.body === null) return { replied: false, last, retryMs };
    const { limits, memory } = this.#events;
    try {
      for await (const event of readEvents(stream.body, limits.maxMessageBytes, memory)) {
        last = event.id ?? last;
        retryMs = event.retryMs ?? retryMs;
        const message = event.data === undefined ? undefined : this.#read(event.data);
        if (message === undefined) continue;
        traceResponse(this.#endpoint.trace, stream, event.data ?? "");
        await this.#deliver(message);
        if (id !== undefined && message["id"] === id && message["method"] === undefined)
          return { replied: true, last, retryMs };
      }
    } catch (error) {
      // A broken stream can be resumed, unless the request was aborted or an event was too long.
      if (signal?.aborted === true || error instanceof ConnectionError) throw error;
    }
    return { replied: false, last, retryMs };
  }

  /** Delivers a message. Returns a promise if the stream must not be read further for now. */
  #deliver(message: JsonObject): Promise<void> | undefined {
    const { result } = message;
    const version = isJsonObject(result) ? result["protocolVersion"] : undefined;
    if (typeof version === "string" && /^[\w-]{1,40}$/.test(version)) this.#version ??= version;
    return this.#events.onMessage(message);
  }

  /** Ends a response whose body does not matter. */
  async #discard(response: Response): Promise<void> {
    traceResponse(this.#endpoint.trace, response, "");
    await response.body?.cancel();
  }

  /** Sends a request, and repeats it with a new token if the server rejects the token. */
  async #request(request: HttpRequest): Promise<Response> {
    const { authorization, url, trace } = this.#endpoint;
    const { signal = this.#closing.signal } = request;
    for (let renewals = 0; ; renewals++) {
      const token = await authorization?.token({ url });
      const headers = this.#headers(token, request.headers ?? {});
      traceRequest(trace, { ...request, headers });
      const response = await this.#sender.send({ ...request, headers });
      const { status } = response;
      if (status !== 401 && status !== 403) return response;
      traceResponse(trace, response, "");
      const secrets = [...Object.values(this.#endpoint.headers), ...(token === undefined ? [] : [token])];
      const rejection = await readRejection(response, secrets);
      const isRenewable = authorization !== undefined && (status === 401 || asksForScopes(response));
      if (!isRenewable || renewals === MAX_RENEWALS) throw rejection;
      const header = response.headers.get("www-authenticate") ?? undefined;
      const renew = () => authorization.renew({ url, status, header, token, signal });
      if (!(await this.#events.untimed(renew))) throw rejection;
    }
  }

  #headers(token: string | undefined, more: Readonly<Record<string, string>>): Headers {
    const headers = new Headers(this.#endpoint.headers);
    headers.set("accept", "application/json, text/event-stream");
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    if (this.#sessionId !== undefined) headers.set("mcp-session-id", this.#sessionId);
    if (this.#version !== undefined) headers.set("mcp-protocol-version", this.#version);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return headers;
  }
}

/** Methods without effects. They can be repeated, although the server may have received the first request. */
const REPEATABLE =
  /^(?:server\/discover|ping|[a-z]+\/list|resources\/(?:templates\/list|read)|prompts\/get|completion\/complete|tasks\/get|subscriptions\/listen)$/;

/** Returns the wait before a stream is resumed, within limits: a server that asks for none would cause a busy loop. */
function readRetry({ retryMs = DEFAULT_RETRY_MS }: StreamEnd): number {
  return Math.min(Math.max(retryMs, MIN_RETRY_MS), MAX_RETRY_MS);
}

function isEventStream({ headers }: Response): boolean {
  return (headers.get("content-type") ?? "").toLowerCase().startsWith("text/event-stream");
}

/** Creates the error for a success without the reply to the request. */
function incomplete(response: Response): ConnectionError {
  return isEventStream(response)
    ? new ConnectionError("The connection was lost before the server responded.", "unreachable")
    : new ConnectionError(
        "The server's response does not contain a JSON-RPC message. Check that the URL is an MCP endpoint.",
        "protocol",
      );
}
