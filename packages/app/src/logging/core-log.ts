/**
 * @fileoverview What a server reports by itself, in the application's log.
 * @module app/logging/core-log
 */
import type { LogSink } from "tenon";
import type { ContextLogger } from "./logger.js";

/**
 * The `log` of a server's options. A handler that failed is left out: `standard()` reports it, with its context.
 *
 * @example defineServer({ name: "shop", version: "1.0.0", log: toCoreLog(logger) }).use(standard({ logger }))
 */
export function toCoreLog(logger: ContextLogger): LogSink {
  return (entry) => {
    if (entry.event === "initialize") {
      const { client, revision } = entry;
      logger.info("A client connected", undefined, { client, revision });
    } else if (entry.event !== "handler-failed") {
      const { operation, name, error } = entry;
      logger.error(TEXTS[entry.event], undefined, { operation, name, error });
    }
  };
}

const TEXTS = {
  "output-invalid": "A result does not fit its output schema",
  "notify-failed": "A notification could not be sent",
  "state-failed": "The state of a call could not be sealed",
} as const;
