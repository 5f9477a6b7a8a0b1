/**
 * @fileoverview Test setup: collects log records in an array instead of writing them to stderr.
 * @module tests/support/log
 */
import { logger, type LogRecord } from "@tenon/app";
import { beforeEach } from "vitest";

/** Log records from the current test, redacted like written records. */
export const logged: LogRecord[] = [];

await logger.initialize("debug", {
  destination: { write: () => true },
  sinks: [{ write: (record) => logged.push(record) }],
});

beforeEach(() => {
  logged.length = 0;
});
