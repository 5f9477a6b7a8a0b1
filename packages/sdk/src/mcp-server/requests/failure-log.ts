/**
 * @fileoverview Log for failures of code that the core does not run: custom request handlers, list callbacks, and
 * notification handlers.
 * @module sdk/mcp-server/requests/failure-log
 */
import type { LogSink } from "tenon";

/** Log sink that is set once: by the server's `log` option, or else by its transport. */
export class FailureLog {
  #sink: LogSink | undefined;

  constructor(sink: LogSink | undefined) {
    this.#sink = sink;
  }

  /** Sets the sink of a server without one. */
  use(sink: LogSink): void {
    this.#sink ??= sink;
  }

  /** Logs a failure. Ignores errors in the sink, so that they do not fail the request. */
  record(operation: string, error: unknown, name = operation): void {
    try {
      this.#sink?.({ level: "error", event: "handler-failed", operation, name, error });
    } catch {
      // Ignore errors in the sink: they cannot be logged.
    }
  }
}
