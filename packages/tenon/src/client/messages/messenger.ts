/**
 * @fileoverview Sends requests and waits for their responses, with time limits, progress, and cancellation. Answers the
 * requests of the server.
 * @module client/messages/messenger
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { isPromise } from "@tenon/internal/maybe-promise";
import {
  type ClientCapabilities,
  ERRORS,
  type Implementation,
  type JsonRpcNotification,
  type LogLevel,
  type RequestId,
  type Revision,
  type RpcError,
  TRAITS,
} from "../../protocol/index.js";
import type { RequestOptions } from "../client-options.js";
import { ClientError, ConnectionError, toClientError } from "../errors.js";
import { answerQuestions, answerRequest, type RequestHandlers } from "../handlers.js";
import type { ClientTransport, TransportEvents } from "../transports/transport.js";
import { type Countdown, startCountdown } from "./countdown.js";
import { standardHeaders, ToolHeaders } from "./request-headers.js";
import { copyWithMeta, createEnvelope, withMeta } from "./request-meta.js";

/** Settings that apply to every request. */
export interface MessengerSettings {
  readonly handlers: RequestHandlers;
  readonly clientInfo: Implementation;
  readonly logLevel: LogLevel | undefined;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Called with every notification except progress of a request. */
  readonly onNotification: (notification: JsonRpcNotification) => void;
}

/** Request in flight. */
interface Pending {
  readonly resolve: (response: JsonObject) => void;
  readonly reject: (reason: unknown) => void;
  readonly onProgress: RequestOptions["onProgress"];
  readonly countdown: Countdown | undefined;
}

/** Request that is sent as text. */
interface SentRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: RequestOptions;
}

/** Time limit in milliseconds for a message that is sent without waiting for a response. */
const LAST_MS = 1_000;

/** Exchanges messages with one server over one connection at a time. */
export class Messenger implements TransportEvents {
  /** Headers that repeat the arguments of listed tools. */
  readonly toolHeaders = new ToolHeaders();
  readonly #settings: MessengerSettings;
  /** True if every request has a time limit or a signal, so that it must be possible to cancel it. */
  readonly #isWatched: boolean;
  readonly #pending = new Map<unknown, Pending>();
  /** Messages that are being sent while the client closes, such as cancellations. */
  readonly #last = new Set<Promise<void>>();
  #revision: Revision;
  #envelope: JsonObject | undefined;
  #transport: ClientTransport | undefined;
  /** Number of tasks that wait for the user. */
  #waiting = 0;
  #lastId = 0;
  #end: Error | undefined;
  #isClosed = false;

  constructor(settings: MessengerSettings, revision: Revision, capabilities: ClientCapabilities) {
    this.#settings = settings;
    this.#isWatched = settings.timeoutMs !== undefined || settings.signal !== undefined;
    this.#revision = revision;
    this.useRevision(revision, capabilities);
  }

  /** Protocol revision in use. */
  get revision(): Revision {
    return this.#revision;
  }

  /** True if requests are sent over HTTP. */
  get isHttp(): boolean {
    return this.#transport?.isHttp ?? false;
  }

  /** Reason that the server ended the connection. */
  get end(): Error | undefined {
    return this.#end;
  }

  /** True after `close`. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Uses a transport from now on. */
  connect(transport: ClientTransport): void {
    this.#transport = transport;
    this.#end = undefined;
  }

  /** Uses a protocol revision from now on, and declares these capabilities in every stateless request. */
  useRevision(revision: Revision, capabilities: ClientCapabilities): void {
    const { clientInfo, logLevel } = this.#settings;
    this.#revision = revision;
    this.#envelope = createEnvelope({ revision, capabilities, clientInfo, logLevel });
  }

  /** Starts a new session with the next message. */
  resetSession(): void {
    this.#transport?.reset?.();
  }

  /** Receives messages that the server sends on its own. */
  listen(): void {
    this.#transport?.listen?.();
  }

  /**
   * Sends a request and returns its result.
   *
   * @throws {ClientError} for an error response
   * @throws {ConnectionError} if the connection fails or the response is not valid
   */
  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const transport = this.#assertOpen();
    const isWatched =
      this.#isWatched ||
      options.signal !== undefined ||
      options.onProgress !== undefined ||
      options.timeoutMs !== undefined;
    const copy =
      transport.handle === undefined || isWatched ? undefined : copyWithMeta(params, this.#envelope);
    if (copy === undefined || transport.handle === undefined)
      return readResult(await this.#exchange(transport, { method, params, options }));
    const id = ++this.#lastId;
    // Frames arrive in a later microtask, and so does a request that is not serialized.
    await Promise.resolve();
    const response = transport.handle({ jsonrpc: "2.0", id, method, params: copy });
    const reply = (isPromise(response) ? await response : response).toJSON();
    // A cancelled call, and a call whose client was closed, do not get a response.
    if (reply === undefined || this.#isClosed) return new Promise(() => {});
    if (reply.error !== undefined) throw new ClientError(reply.error);
    return reply.result as JsonObject; // Safe: a Tenon server in this process sent it
  }

  /** Sends a notification. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  /** Sends a request and ignores its response. Works after the client's signal has aborted. `close` waits for it. */
  sendLast(method: string, params: JsonObject): Promise<void> {
    const id = ++this.#lastId;
    return this.#sendLast({
      jsonrpc: "2.0",
      id,
      method,
      params: withMeta(params, this.#envelope, undefined),
    });
  }

  /** Answers the open questions of a result, by key, without counting the time against requests in flight. */
  answer(inputRequests: unknown): Promise<JsonObject> {
    return this.untimed(() => answerQuestions(this.#settings.handlers, inputRequests));
  }

  /** Closes the connection. Requests in flight are cancelled, and messages that are being sent are completed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const transport = this.#transport;
    const isInMemory = transport?.handle !== undefined;
    // In memory, a call whose client was closed does not get a response.
    if (!isInMemory) this.#rejectAll(new ConnectionError("The client was closed.", "closed"));
    if (this.#last.size > 0) await Promise.all(this.#last);
    await transport?.close();
  }

  /** Handles a message of the server. */
  onMessage = (message: JsonObject): void => {
    const { id, method, params } = message;
    if (typeof method !== "string") {
      this.#pending.get(id)?.resolve(message);
      return;
    }
    if (id !== undefined) {
      // Safe: the server uses the ID only to match the response.
      void this.#answer(id as RequestId, method, isJsonObject(params) ? params : {});
      return;
    }
    if (method === "notifications/progress" && isJsonObject(params)) this.#takeProgress(params);
    this.#settings.onNotification(message as unknown as JsonRpcNotification); // Safe: it has a method and no ID
  };

  /** Handles the end of the connection. */
  onEnd = (reason: Error): void => {
    this.#end = reason;
    this.#rejectAll(reason);
  };

  /** Runs a task that waits for the user, without counting its time against the requests in flight. */
  untimed = async <T>(task: () => Promise<T>): Promise<T> => {
    if (this.#waiting++ === 0) for (const { countdown } of this.#pending.values()) countdown?.pause();
    try {
      return await task();
    } finally {
      if (--this.#waiting === 0) for (const { countdown } of this.#pending.values()) countdown?.resume();
    }
  };

  #takeProgress(params: JsonObject): void {
    const { progressToken, ...progress } = params;
    const pending = this.#pending.get(progressToken);
    pending?.countdown?.restart();
    if (typeof progress["progress"] === "number")
      pending?.onProgress?.(progress as unknown as ProgressParams);
  }

  /** Sends a request as a message, and waits for the response. */
  async #exchange(transport: ClientTransport, { method, params, options }: SentRequest): Promise<JsonObject> {
    const { signal, onProgress, timeoutMs = this.#settings.timeoutMs } = options;
    const id = ++this.#lastId;
    const sent = withMeta(params, this.#envelope, onProgress && id);
    const stop = new AbortController();
    let cancel: (reason: unknown) => void = () => {};
    const onAbort = () => cancel(signal?.aborted === true ? signal.reason : this.#settings.signal?.reason);
    const countdown =
      timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY
        ? undefined
        : startCountdown(timeoutMs, () => cancel(timedOut(method, timeoutMs)));
    if (this.#waiting > 0) countdown?.pause();
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        cancel = (reason) => {
          this.#cancel(id, method);
          reject(reason);
          stop.abort();
        };
        for (const one of [signal, this.#settings.signal]) {
          if (one?.aborted === true) return reject(one.reason);
          one?.addEventListener("abort", onAbort);
        }
        this.#pending.set(id, { resolve, reject, onProgress, countdown });
        const headers = this.#headersFor(method, params);
        return transport
          .send({ jsonrpc: "2.0", id, method, params: sent }, { headers, signal: stop.signal })
          .catch(reject);
      });
    } finally {
      for (const one of [signal, this.#settings.signal]) one?.removeEventListener("abort", onAbort);
      countdown?.stop();
      this.#pending.delete(id);
      // If the client was closed, this also ends the HTTP request.
      stop.abort();
    }
  }

  #headersFor(method: string, params: JsonObject): Readonly<Record<string, string>> {
    if (!this.isHttp || !TRAITS[this.#revision].stateless) return {};
    const standard = standardHeaders(this.#revision, method, params);
    return method === "tools/call" ? { ...standard, ...this.toolHeaders.headersFor(params) } : standard;
  }

  /** Responds to a request from the server. */
  async #answer(id: RequestId, method: string, params: JsonObject): Promise<void> {
    const reply =
      method === "ping"
        ? { result: {} }
        : await this.untimed(() => answerRequest(this.#settings.handlers, method, params)).then(
            (result) => ({ result }),
            (error: unknown) => ({ error: toRpcError(error, method) }),
          );
    // The end of the connection is reported elsewhere.
    await this.#send({ jsonrpc: "2.0", id, ...reply }).catch(() => undefined);
  }

  /** Tells the server to cancel a request. Over stateless HTTP, closing the connection cancels it. */
  #cancel(id: number, method: string): void {
    if (method === "initialize" || (this.isHttp && TRAITS[this.#revision].stateless)) return;
    void this.#sendLast({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  }

  #sendLast(message: { readonly method: string; readonly params: JsonObject } & JsonObject): Promise<void> {
    const headers = this.#headersFor(message.method, message.params);
    const sending = (async () => {
      try {
        await this.#transport?.send(message, { headers, signal: AbortSignal.timeout(LAST_MS) });
      } catch {
        // The connection is lost, so there is nothing to cancel.
      }
    })();
    this.#last.add(sending);
    return sending.then(() => void this.#last.delete(sending));
  }

  async #send(message: JsonObject): Promise<void> {
    const { method, params } = message;
    const headers =
      typeof method === "string" ? this.#headersFor(method, isJsonObject(params) ? params : {}) : {};
    await this.#assertOpen().send(message, { headers });
  }

  #rejectAll(reason: Error): void {
    for (const { reject } of this.#pending.values()) reject(reason);
  }

  #assertOpen(): ClientTransport {
    if (this.#isClosed)
      throw new ConnectionError("The client is closed. Create a new one with `createClient`.", "closed");
    if (this.#end !== undefined) throw this.#end;
    if (this.#transport !== undefined) return this.#transport;
    throw new ConnectionError("The client is not connected. Create it with `createClient`.", "closed");
  }
}

type ProgressParams = Parameters<NonNullable<RequestOptions["onProgress"]>>[0];

function timedOut(method: string, timeoutMs: number): ConnectionError {
  return new ConnectionError(
    `The server did not respond to ${method} within ${timeoutMs / 1_000} s.`,
    "timeout",
  );
}

/** Returns the result of a response. @throws if it is an error or not valid */
function readResult({ error, result }: JsonObject): JsonObject {
  if (isJsonObject(error)) throw toClientError(error);
  if (isJsonObject(result)) return result;
  throw new ConnectionError("The server's response does not contain a result object.", "protocol");
}

function toRpcError(error: unknown, method: string): RpcError {
  const message =
    error instanceof Error ? error.message : `The handler for "${method}" threw ${kindOf(error)}.`;
  return { code: error instanceof ClientError ? error.code : ERRORS.INTERNAL_ERROR.rpc, message };
}
