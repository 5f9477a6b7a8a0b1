/**
 * @fileoverview Watches a server while it handles calls. Links unexpected failures in its log to the calls that they
 * belong to, so that the developer sees the stack and the client sees the message, and measures handlers.
 * @module cli/dev/server/call-watch
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { LogSink, McpResponse } from "tenon";
import type { HandlerObserver } from "tenon/host";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { preciseNow } from "../../clock.js";
import { toThrownFacts } from "../messages/thrown-facts.js";
import type { HandlerFailure, HandlerTimes, ThrownFacts } from "../messages/messages.js";

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
