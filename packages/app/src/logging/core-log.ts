/**
 * @fileoverview Writes server events to the application's log.
 * @module app/logging/core-log
 */
import type { LogSink } from "tenon";
import type { ContextLogger } from "./logger.js";

/**
 * Creates the `log` option for `defineServer`. Handler failures are skipped, because `standard()` logs them with their
 * request context.
 *
 * @example defineServer({ name: "shop", version: "1.0.0", log: toCoreLog(logger) }).use(standard({ logger }))
 */
export function toCoreLog(logger: ContextLogger): LogSink {
  return (entry) => {
    if (entry.event === "initialize") {
      const { client, revision } = entry;
      logger.info("Client connected.", undefined, { client, revision });
    } else if (entry.event !== "handler-failed") {
      const { operation, name, error } = entry;
      logger.error(TEXTS[entry.event], undefined, { operation, name, error });
    }
  };
}

const TEXTS = {
  "output-invalid": "The result does not match its output schema.",
  "notify-failed": "A notification could not be sent.",
  "state-failed": "Call state could not be sealed.",
} as const;
