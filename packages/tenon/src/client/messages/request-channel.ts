/**
 * @fileoverview Sends requests and waits for their responses, with time limits, progress, and cancellation. Answers the
 * requests of the server.
 * @module tenon/client/messages/request-channel
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isPromise } from "@tenon/internal/maybe-promise";
import {
  type ClientCapabilities,
  type Implementation,
  isRequestId,
  type JsonRpcNotification,
  type LogLevel,
  type Revision,
  TRAITS,
} from "../../protocol/index.js";
import type { RequestOptions } from "../client-options.js";
import { ClientError, ConnectionError, toClientError } from "../errors.js";
import { answerQuestions, type RequestHandlers } from "../handlers.js";
import { type ClientLimits, ConnectionMemory, ranTooLong } from "../limits.js";
import type { ClientTransport, TransportEvents } from "../transports/transport.js";
import { Answers } from "./answers.js";
import { type Countdown, startCountdown } from "./countdown.js";
import { standardHeaders, ToolHeaders } from "./request-headers.js";
import { copyWithMeta, createEnvelope, withMeta } from "./request-meta.js";
import { runWithin, untilAborted } from "./total-time.js";

/** Settings that apply to every request. */
export interface RequestChannelSettings {
  readonly handlers: RequestHandlers;
  readonly clientInfo: Implementation;
  readonly logLevel: LogLevel | undefined;
  readonly timeoutMs: number | undefined;
  readonly limits: ClientLimits;
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
/** Maximum length of the ID of a server's request, which the answer repeats. */
const MAX_ID = 1_000;

/** Exchanges messages with one server over one connection at a time. */
export class RequestChannel implements TransportEvents {
  /** Headers that repeat the arguments of listed tools. */
  readonly toolHeaders = new ToolHeaders();
  readonly memory: ConnectionMemory;
  readonly #answers: Answers;
  readonly #settings: RequestChannelSettings;
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

  constructor(settings: RequestChannelSettings, revision: Revision, capabilities: ClientCapabilities) {
    const { handlers, limits, timeoutMs } = settings;
    this.#settings = settings;
    this.memory = new ConnectionMemory(limits);
    this.#answers = new Answers({
      handlers,
      memory: this.memory,
      maxAnswers: limits.maxAnswers,
      timeoutMs,
      send: (message, signal) => this.#send(message, signal),
      untimed: (task) => this.untimed(task),
    });
    this.#isWatched = settings.timeoutMs !== undefined || settings.signal !== undefined;
    this.#revision = revision;
    this.useRevision(revision, capabilities);
  }

  /** Protocol revision in use. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Limits for the server. */
  get limits(): ClientLimits {
    return this.#settings.limits;
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
    const { timeoutMs } = this.#settings;
    const isTimed = timeoutMs !== undefined && timeoutMs !== Number.POSITIVE_INFINITY;
    const signal = isTimed ? AbortSignal.timeout(timeoutMs) : undefined;
    const message = { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
    await this.#send(message, signal).catch((error: unknown) => {
      throw isTimed && signal?.aborted === true ? timedOut(method, timeoutMs) : error;
    });
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
  answer(inputRequests: unknown, signal: AbortSignal | undefined): Promise<JsonObject> {
    const { handlers, limits } = this.#settings;
    return this.untimed(() =>
      untilAborted(answerQuestions(handlers, inputRequests, limits.maxAnswers), signal),
    );
  }

  /**
   * Runs an operation of several requests within one total time. `run` receives options whose signal aborts when it is
   * over.
   */
  within<T>(
    method: string,
    options: RequestOptions | undefined,
    run: (options: RequestOptions | undefined) => Promise<T>,
  ): Promise<T> {
    const maxMs = this.#totalMs(options?.timeoutMs ?? this.#settings.timeoutMs);
    return maxMs === Infinity ? run(options) : runWithin(maxMs, { method, options, run });
  }

  /** Closes the connection. Requests in flight are cancelled, and messages that are being sent are completed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const transport = this.#transport;
    const isInMemory = transport?.handle !== undefined;
    // In memory, a call whose client was closed does not get a response.
    if (!isInMemory) this.#rejectAll(new ConnectionError("The client was closed.", "closed"));
    this.#answers.close();
    if (this.#last.size > 0) await Promise.all(this.#last);
    await transport?.close();
  }

  /** Handles a message of the server. */
  onMessage = (message: JsonObject): Promise<void> | undefined => {
    const { id, method, params } = message;
    if (typeof method !== "string") {
      this.#pending.get(id)?.resolve(message);
      return undefined;
    }
    if (id !== undefined) {
      if (!isRequestId(id) || String(id).length > MAX_ID) return undefined;
      return this.#answers.take({ id, method, params: isJsonObject(params) ? params : {} });
    }
    if (method === "notifications/progress" && isJsonObject(params)) this.#takeProgress(params);
    this.#settings.onNotification(message as unknown as JsonRpcNotification); // Safe: it has a method and no ID
    return undefined;
  };

  /** Handles a message that exceeds a limit. Without its ID, it may be the response to any request. */
  onRefused = (reason: Error, id: unknown): void => {
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#rejectAll(reason);
    else pending.reject(reason);
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
    const { onProgress, countdown } = this.#pending.get(progressToken) ?? {};
    // A server that reports progress without being asked must not delay the time limit.
    if (onProgress === undefined || typeof progress["progress"] !== "number") return;
    countdown?.restart();
    onProgress(progress as unknown as ProgressParams);
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
        : this.#startCountdown(method, timeoutMs, (reason) => cancel(reason));
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

  #startCountdown(method: string, ms: number, cancel: (reason: Error) => void): Countdown {
    const maxMs = this.#totalMs(ms);
    return startCountdown({ ms, maxMs }, (isTotal) =>
      cancel(isTotal ? ranTooLong(method, maxMs) : timedOut(method, ms)),
    );
  }

  #totalMs(timeoutMs = 0): number {
    return Math.max(timeoutMs, this.#settings.limits.maxTotalMs);
  }

  #headersFor(method: string, params: JsonObject): Readonly<Record<string, string>> {
    if (!this.isHttp || !TRAITS[this.#revision].stateless) return {};
    const standard = standardHeaders(this.#revision, method, params);
    return method === "tools/call" ? { ...standard, ...this.toolHeaders.headersFor(params) } : standard;
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

  async #send(message: JsonObject, signal?: AbortSignal): Promise<void> {
    const { method, params } = message;
    const headers =
      typeof method === "string" ? this.#headersFor(method, isJsonObject(params) ? params : {}) : {};
    await this.#assertOpen().send(message, { headers, ...(signal === undefined ? {} : { signal }) });
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
