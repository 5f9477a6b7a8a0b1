/**
 * @fileoverview Test setup: collects log records in an array instead of writing them to stderr.
 * @module tests/support/log
 */
import { logger, type LogRecord } from "@tenon/app";
import { beforeEach } from "vitest";

/** Records that the current test has logged, redacted as they would be written. */
export const logged: LogRecord[] = [];

await logger.initialize("debug", {
  destination: { write: () => true },
  sinks: [{ write: (record) => logged.push(record) }],
});

beforeEach(() => {
  logged.length = 0;
});
