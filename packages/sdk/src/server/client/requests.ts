/**
 * @fileoverview Sends notifications and requests to the client, for every protocol revision: as part of a request in
 * flight, or over an open connection.
 * @module sdk/server/client/requests
 */
import type { Exchange } from "tenon";
import type { Call, Caller, Connection } from "tenon/host";
import {
  ERRORS,
  isLogLevel,
  type JsonRpcNotification,
  LOG_LEVELS,
  McpError,
  projectClientRequest,
  type RequestId,
  type SamplingRequest,
  TRAITS,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { textOf } from "@tenon/internal/thrown";
import type { AskOptions, OutgoingNotification, OutgoingRequest } from "../../types.js";
import type { Attached } from "../drop-in-server.js";
import { listenForProgress } from "../notifications.js";
import { CONNECTION_CLOSED, REQUEST_TIMEOUT, RequestError } from "../requests/errors.js";
import type { RequestScope } from "../requests/request-scope.js";

/** Sends the caller a notification related to its request. Does nothing if the request was cancelled. */
export async function notifyCaller(scope: RequestScope, notification: OutgoingNotification): Promise<void> {
  if (scope.signal.aborted) return;
  if (await reportToTask(scope, notification)) return;
  const { level, data, logger } = paramsOf(notification);
  if (notification.method === "notifications/message" && scope.call !== undefined && isLogLevel(level)) {
    await scope.call.log(level, data, typeof logger === "string" ? logger : undefined);
    return;
  }
  await scope.exchange?.notify?.(toMessage(notification));
}

/** Turns a progress notification of a task into the task's status message. Returns false for other notifications. */
export async function reportToTask(
  { call }: RequestScope,
  notification: OutgoingNotification,
): Promise<boolean> {
  if (call?.taskId === undefined || notification.method !== "notifications/progress") return false;
  const { progress, total, message } = paramsOf(notification);
  await call.progress(
    typeof progress === "number" ? progress : NaN,
    typeof total === "number" ? total : undefined,
    typeof message === "string" ? message : undefined,
  );
  return true;
}

/** Sends a notification to every legacy connection. Log messages below a connection's log level are not sent to it. */
export async function notifyAll(
  attached: Iterable<Attached>,
  notification: OutgoingNotification,
): Promise<void> {
  const { level } = paramsOf(notification);
  const isLog = notification.method === "notifications/message" && isLogLevel(level);
  for (const { connection, notify } of attached) {
    const wanted = connection.logLevel ?? "debug";
    if (isLog && LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(wanted)) continue;
    if (connection.era === "legacy") await notify(toMessage(notification));
  }
}

/** Sends a request to the caller while its own request is in flight. */
export async function askCaller(
  scope: RequestScope,
  request: OutgoingRequest,
  options: AskOptions,
): Promise<unknown> {
  const { exchange, caller } = scope;
  if (TRAITS[caller.revision].inputByRetry) return askInRounds(scope, request);
  if (exchange?.request === undefined || exchange.notify === undefined) throw new Error("Not connected");
  const line = connectionLine(exchange.connection, (message) => exchange.notify?.(message));
  return sendRequest(line, prepare(request, caller), { options, signals: [scope.signal] });
}

/** Sends a request over an open connection, outside any request in flight. */
export async function askConnection(
  { connection, notify }: Attached,
  request: OutgoingRequest,
  options: AskOptions,
): Promise<unknown> {
  return sendRequest(connectionLine(connection, notify), prepare(request, connection), { options });
}

/** Adapts a request's parameters to the client's revision. */
export function prepare(
  request: OutgoingRequest,
  { revision }: Pick<Caller, "revision">,
): { readonly method: string; readonly params: JsonObject } {
  const { method } = request;
  return { method, params: projectClientRequest(method, paramsOf(request), TRAITS[revision]) };
}

/** Requests input in the stateless revision: the call returns the request, then runs again with the response. */
async function askInRounds(scope: RequestScope, request: OutgoingRequest): Promise<unknown> {
  const { call } = scope;
  const { method } = request;
  if (call === undefined) {
    throw new Error(
      `"${scope.message.method}" cannot send "${method}" to the client. ` +
        "In this protocol version, only tool, resource, and prompt callbacks can send requests.",
    );
  }
  const params = paramsOf(request);
  const key = `${method}-${++scope.questions}`;
  switch (method) {
    case "elicitation/create":
      return elicit(call, key, params);
    case "sampling/createMessage":
      return call.sample(key, params as unknown as SamplingRequest); // Safe: the client validates it
    case "roots/list":
      return { roots: await call.roots(key) };
    default:
      throw new Error(
        `"${method}" is not supported in protocol version ${scope.caller.revision}. ` +
          "Supported requests: elicitation/create, sampling/createMessage, roots/list.",
      );
  }
}

async function elicit(call: Call, key: string, params: JsonObject): Promise<unknown> {
  const { mode, message, url, requestedSchema } = params;
  if (mode === "url") {
    const { action } = await call.input(key, { kind: "url", message: String(message), url: String(url) });
    return { action };
  }
  const jsonSchema = isJsonObject(requestedSchema) ? requestedSchema : { type: "object", properties: {} };
  const schema = { jsonSchema, check: (value: unknown) => ({ value }) };
  return call.input(key, { kind: "form", message: String(message), schema });
}

/** Converts a notification to its JSON-RPC message. */
export function toMessage({ method, params }: OutgoingNotification): JsonRpcNotification {
  return { jsonrpc: "2.0", method, ...(isJsonObject(params) ? { params } : {}) };
}

/** Returns a message's parameters, or an empty object. */
export function paramsOf({ params }: OutgoingRequest): JsonObject {
  return isJsonObject(params) ? params : {};
}

/** Request with its parameters in the form that the client's revision defines. */
interface Prepared {
  readonly method: string;
  readonly params: JsonObject;
}

/** Way to the client: a connection, or the queue of a task. */
export interface RequestLine {
  readonly connection: Connection;
  /** Sends the request. @throws if it cannot be sent */
  send(request: Prepared, signal: AbortSignal): Promise<SentRequest>;
}

/** A request that waits for the client's response. */
export interface SentRequest {
  readonly answer: Promise<unknown>;
  /** Asks the client to stop. */
  cancel?(reason: string): void;
}

/** Creates the line over a connection. */
export function connectionLine(connection: Connection, notify: NonNullable<Exchange["notify"]>): RequestLine {
  return {
    connection,
    async send(request, signal) {
      const { message, answer } = connection.ask(request, signal);
      try {
        // `notify` sends any message unchanged, so it also sends requests.
        await notify(message);
      } catch (error) {
        // Without a response, the request would wait forever.
        connection.settle({ jsonrpc: "2.0", id: message.id ?? null, error: NOT_SENT });
        throw error;
      }
      return { answer, cancel: cancellerOf(message.id, notify) };
    },
  };
}

/** Creates a function that asks the client to stop a request. */
export function cancellerOf(requestId: RequestId | undefined, notify: Exchange["notify"]) {
  return (reason: string): void => {
    void notify?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason } });
  };
}

/**
 * Sends a request and resolves with the client's result. If the request times out or is aborted, the client is asked to
 * stop.
 *
 * @param scope.signals signals that abort the request, besides the one in the options
 * @throws {RequestError} if the client responds with an error, the request ends early, or the connection closes
 */
export async function sendRequest(
  line: RequestLine,
  { method, params }: Prepared,
  { options, signals = [] }: { readonly options: AskOptions; readonly signals?: readonly AbortSignal[] },
): Promise<unknown> {
  const { signal, onprogress } = options;
  signal?.throwIfAborted();
  const timer = new Timer(options);
  const listening =
    onprogress &&
    listenForProgress(line.connection, (progress) => {
      timer.restart();
      if (!timer.signal.aborted) onprogress(progress);
    });
  const gone = AbortSignal.any([...signals, ...(signal === undefined ? [] : [signal]), timer.signal]);
  try {
    const sent = listening === undefined ? params : withToken(params, listening.token);
    const waiting = await line.send({ method, params: sent }, gone);
    return await waiting.answer.catch((error: unknown) => {
      if (gone.aborted) waiting.cancel?.(textOf(gone.reason));
      if (signal?.aborted === true) throw new RequestError(REQUEST_TIMEOUT, textOf(signal.reason));
      throw gone.aborted ? gone.reason : toFailure(error);
    });
  } finally {
    timer.stop();
    listening?.stop();
  }
}

/** Error of a request that the connection does not take. */
const NOT_SENT = { code: ERRORS.SERVICE_UNAVAILABLE.rpc, message: "The request was not sent." };

/** Timeout of a request without the option, as in the official SDK. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** Timeout of a request. Progress restarts it if the options say so. */
class Timer {
  readonly #controller = new AbortController();
  readonly #options: AskOptions;
  readonly #begun = performance.now();
  #handle: NodeJS.Timeout | undefined;

  constructor(options: AskOptions) {
    this.#options = options;
    this.#start();
  }

  /** Aborts when the time is over. The reason is the error to throw. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    const { resetTimeoutOnProgress = false, maxTotalTimeout } = this.#options;
    if (!resetTimeoutOnProgress) return;
    this.stop();
    const totalElapsed = Math.round(performance.now() - this.#begun);
    if (maxTotalTimeout !== undefined && totalElapsed >= maxTotalTimeout) {
      const data = { maxTotalTimeout, totalElapsed };
      this.#controller.abort(new RequestError(REQUEST_TIMEOUT, "Maximum total timeout exceeded", data));
    } else this.#start();
  }

  stop(): void {
    clearTimeout(this.#handle);
  }

  #start(): void {
    const { timeout = DEFAULT_TIMEOUT_MS } = this.#options;
    this.#handle = setTimeout(
      () => this.#controller.abort(new RequestError(REQUEST_TIMEOUT, "Request timed out", { timeout })),
      timeout,
    );
  }
}

function withToken(params: JsonObject, progressToken: number): JsonObject {
  const { _meta: meta } = params;
  return { ...params, _meta: { ...(isJsonObject(meta) ? meta : {}), progressToken } };
}

/** Converts the failure of a connection to the official SDK's error. The client's own error is its cause. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof McpError)) return new RequestError(CONNECTION_CLOSED, "Connection closed");
  const { cause } = error;
  if (!isJsonObject(cause) || typeof cause["code"] !== "number") return error;
  return new RequestError(cause["code"], String(cause["message"]), cause["data"]);
}
