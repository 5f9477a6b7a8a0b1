/**
 * @fileoverview Writes server log entries to a `Logger`.
 * @module sdk/adapters/log-sink
 */
import { safeReport } from "@tenon/internal/security/safe-text";
import { printable } from "@tenon/internal/text";
import type { Logger, LogSink } from "tenon";

/**
 * Creates a log sink that writes failures, with stack and causes, and rejected arguments to a logger. Each entry is one
 * line without secrets.
 */
export function toLogSink(logger: Logger): LogSink {
  return (entry) => {
    if (entry.event === "initialize") return;
    const { operation, name } = entry;
    const subject = `${SUBJECTS[operation] ?? printable(operation)} "${printable(name)}"`;
    if (entry.event === "arguments-rejected") {
      logger.info(`${subject} was called with invalid arguments: ${entry.message}`);
    } else if (entry.level === "warning") {
      logger.warn(entry.message);
    } else {
      logger.error(`${subject} failed: ${safeReport(entry.error)}`);
    }
  };
}

const SUBJECTS: Readonly<Record<string, string>> = {
  "tools/call": "Tool",
  "resources/read": "Resource",
  "prompts/get": "Prompt",
};
