/**
 * @fileoverview Where log records go, and the plainest of such places: standard error.
 * @module app/logging/log-writer
 */
import { writeSync } from "node:fs";
import type { LoggerLevel } from "./levels.js";

/** One entry, as it is written: plain data without secrets. */
export interface LogRecord {
  readonly level: LoggerLevel;
  /** When, as ISO 8601. */
  readonly time: string;
  readonly message: string;
  /** The request context. */
  readonly context?: unknown;
  /** What else the entry tells. */
  readonly data?: unknown;
}

/** Writes records to one place. */
export interface LogWriter {
  write(record: LogRecord): void;
  /** Resolves when all that was written has left. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Additional destination of log records. Errors that it throws are ignored. */
export interface LogRecordSink {
  /**
   * The least weight that it wants.
   * @default "debug"
   */
  readonly level?: LoggerLevel;
  write(record: LogRecord): void;
}

/** Lines of JSON on standard error, each written before the call returns; no package is needed for it. */
export const stderrWriter: LogWriter = {
  write(record) {
    try {
      writeSync(STDERR, `${JSON.stringify(record)}\n`);
    } catch {
      // Nobody reads standard error, and there is no other place to say so.
    }
  },
  async flush() {},
  async close() {},
};

/** For a logger that was closed. */
export const nullWriter: LogWriter = {
  write() {},
  async flush() {},
  async close() {},
};

const STDERR = 2;
