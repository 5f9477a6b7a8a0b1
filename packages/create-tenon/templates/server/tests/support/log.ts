/**
 * @fileoverview Set up before every test file: the log goes into a list instead of standard error.
 * @module tests/support/log
 */
import { logger, type LogRecord } from "@tenon/app";
import { beforeEach } from "vitest";

/** What the test that runs has logged so far, without secrets, as it would be written. */
export const logged: LogRecord[] = [];

await logger.initialize("debug", {
  destination: { write: () => true },
  sinks: [{ write: (record) => logged.push(record) }],
});

beforeEach(() => {
  logged.length = 0;
});
