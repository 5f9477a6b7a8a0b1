/**
 * @fileoverview Writes the events of a server to the application's log.
 * @module app/logging/core-log
 */
import type { LogSink } from "tenon";
import type { ContextLogger } from "./logger.js";

/**
 * Creates the `log` option of a server. Failed handlers are skipped, because `standard()` logs them with their
 * context.
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
  "output-invalid": "Result does not match its output schema.",
  "notify-failed": "Notification could not be sent.",
  "state-failed": "Call state could not be sealed.",
} as const;
