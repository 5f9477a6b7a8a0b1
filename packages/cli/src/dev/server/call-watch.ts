/**
 * @fileoverview Watches a server while it handles calls. Links unexpected failures in its log to the calls that they
 * belong to, so that the developer sees the stack and the client sees the message, measures handlers, and turns responses into replies.
 * @module cli/dev/server/call-watch
 */
import { firstText } from "../../describe/content.js";
import { AsyncLocalStorage } from "node:async_hooks";
import type { LogSink, McpResponse } from "tenon";
import type { HandlerObserver } from "tenon/host";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { preciseNow } from "../../clock.js";
import {
  type HandlerFailure,
  type HandlerTimes,
  type ServerReply,
  type ThrownFacts,
  toThrownFacts,
} from "../messages/messages.js";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { JsonRpcRequest } from "tenon/protocol";

/** Response to a call, the unexpected error behind it, if any, and the times of its handler. */
export interface WatchedResponse extends HandlerTimes {
  readonly response: McpResponse;
  readonly failure: ThrownFacts | undefined;
}

/** Facts about a call while it is handled. */
interface WatchedCall {
  failure?: ThrownFacts;
  handlerStart?: number;
  handlerEnd?: number;
}

/** Watches calls. The log of a server with its own `log` option is not watched. */
export class CallWatch {
  readonly #calls = new AsyncLocalStorage<WatchedCall>();
  readonly #report: (failure: HandlerFailure) => void;

  /** @param report called with each failure, also with those that do not belong to a call */
  constructor(report: (failure: HandlerFailure) => void) {
    this.#report = report;
  }

  /** Log sink for the server. */
  readonly sink: LogSink = (entry) => {
    if (entry.level !== "error") return;
    const { operation, name } = entry;
    const error = toThrownFacts(entry.error);
    const call = this.#calls.getStore();
    if (call !== undefined) call.failure = error;
    this.#report({ operation, name, error });
  };

  /** Observer for the server's handlers. A handler that runs more than once is measured from its first start. */
  readonly observer: HandlerObserver = () => {
    const call = this.#calls.getStore();
    if (call === undefined) return () => undefined;
    call.handlerStart ??= preciseNow();
    return () => {
      call.handlerEnd = preciseNow();
    };
  };

  /** Handles a call, and adds the last failure that the server logged during it. */
  async watch(handle: () => MaybePromise<McpResponse>): Promise<WatchedResponse> {
    const call: WatchedCall = {};
    const response = await this.#calls.run(call, handle);
    const { failure, handlerStart, handlerEnd } = call;
    return { response, failure, handlerStart, handlerEnd };
  }
}

/** Converts the response to a request. */
export function toServerReply(
  { response, failure }: Pick<WatchedResponse, "response" | "failure">,
  request: JsonRpcRequest,
): ServerReply {
  if (response.isEmpty()) return { type: "empty" };
  if (response.error !== undefined) {
    const { code = 0, message = "", data } = response.toJSON()?.error ?? {};
    const shown = failure !== undefined && message === HIDDEN_ERROR ? failure.message : message;
    return { type: "error", error: response.error, code, message: shown, data };
  }
  const { payload } = response.parts();
  const text = typeof payload === "string" ? payload : (decodeUtf8(payload) ?? "null");
  if (request.method !== "tools/call" || !text.includes(ERROR_MARK)) return { type: "result", payload: text };
  const result = readJson(text);
  if (!isJsonObject(result) || result["isError"] !== true) return { type: "result", payload: text };
  const problem = firstText(result);
  const isHidden = problem === `Tool ${String(request.params?.["name"])} failed`;
  if (failure === undefined || !isHidden) return { type: "result", payload: text, problem };
  const content = [{ type: "text", text: failure.message }];
  return { type: "result", payload: JSON.stringify({ ...result, content }), problem: failure.message };
}

/** Message of an unexpected error, unless the server exposes errors. */
const HIDDEN_ERROR = "Internal error";
const ERROR_MARK = '"isError":true';
