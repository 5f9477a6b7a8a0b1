/**
 * @fileoverview Sends a request to the client and waits for its response, with the official SDK's options: progress,
 * timeouts, and cancellation.
 * @module sdk/mcp-server/client/send-request
 */
import type { Exchange } from "tenon";
import type { Connection } from "tenon/host";
import { ERRORS, McpError, type RequestId } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { CONNECTION_CLOSED, REQUEST_TIMEOUT, RequestError } from "../requests/errors.js";
import { listenForProgress } from "../requests/progress.js";
import type { AskOptions } from "../requests/types.js";

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
      if (gone.aborted) waiting.cancel?.(toReason(gone.reason));
      if (signal?.aborted === true) throw new RequestError(REQUEST_TIMEOUT, toReason(signal.reason));
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

function toReason(reason: unknown): string {
  try {
    return String(reason);
  } catch {
    return "Unknown reason";
  }
}

/** Converts the failure of a connection to the official SDK's error. The client's own error is its cause. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof McpError)) return new RequestError(CONNECTION_CLOSED, "Connection closed");
  const { cause } = error;
  if (!isJsonObject(cause) || typeof cause["code"] !== "number") return error;
  return new RequestError(cause["code"], String(cause["message"]), cause["data"]);
}
