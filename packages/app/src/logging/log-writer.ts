/**
 * @fileoverview Destinations of log records, and the default one: standard error.
 * @module app/logging/log-writer
 */
import { writeSync } from "node:fs";
import type { LoggerLevel } from "./levels.js";

/** Log entry as written: plain data without secrets. */
export interface LogRecord {
  readonly level: LoggerLevel;
  /** Time in ISO 8601. */
  readonly time: string;
  readonly message: string;
  /** Request context. */
  readonly context?: unknown;
  /** Additional data of the entry. */
  readonly data?: unknown;
}

/** Writes records to one destination. */
export interface LogWriter {
  write(record: LogRecord): void;
  /** Resolves when all records have been written. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Additional destination of log records. Errors that it throws are ignored. */
export interface LogRecordSink {
  /**
   * Minimum level of the records.
   * @default "debug"
   */
  readonly level?: LoggerLevel;
  write(record: LogRecord): void;
}

/** Writes JSON lines to standard error, synchronously. Needs no extra package. */
export const stderrWriter: LogWriter = {
  write(record) {
    try {
      writeSync(STDERR, `${JSON.stringify(record)}\n`);
    } catch {
      // Standard error is closed. There is no other place to report this.
    }
  },
  async flush() {},
  async close() {},
};

/** Discards records. Used after a logger is closed. */
export const nullWriter: LogWriter = {
  write() {},
  async flush() {},
  async close() {},
};

const STDERR = 2;
