/**
 * @fileoverview Links unexpected failures in a server's log to the calls that they belong to, so that the developer sees
 * the stack and the client sees the message.
 * @module cli/dev/server/failure-watch
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { LogSink, McpResponse } from "tenon";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { toThrownFacts } from "../messages/thrown-facts.js";
import type { HandlerFailure, ThrownFacts } from "../messages/messages.js";

/** Response to a call, and the unexpected error behind it, if any. */
export interface WatchedResponse {
  readonly response: McpResponse;
  readonly failure: ThrownFacts | undefined;
}

/** Watches the log of a server while it handles calls. A server with its own `log` option is not watched. */
export class FailureWatch {
  readonly #calls = new AsyncLocalStorage<{ failure: ThrownFacts | undefined }>();
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

  /** Handles a call, and adds the last failure that the server logged during it. */
  async watch(handle: () => MaybePromise<McpResponse>): Promise<WatchedResponse> {
    const call: { failure: ThrownFacts | undefined } = { failure: undefined };
    const response = await this.#calls.run(call, handle);
    return { response, failure: call.failure };
  }
}
