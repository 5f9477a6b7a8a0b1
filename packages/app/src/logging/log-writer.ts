/**
 * @fileoverview Destinations for log records. The default is standard error.
 * @module app/logging/log-writer
 */
import { writeSync } from "node:fs";
import type { LoggerLevel } from "./levels.js";

/** Redacted log entry, ready to be written. */
export interface LogRecord {
  readonly level: LoggerLevel;
  /** Time of the entry in ISO 8601. */
  readonly time: string;
  readonly message: string;
  /** Redacted request context. */
  readonly context?: unknown;
  /** Additional data passed to the log method. */
  readonly data?: unknown;
}

/** Writes records to one destination. */
export interface LogWriter {
  write(record: LogRecord): void;
  /** Resolves when all records have been written. */
  flush(): Promise<void>;
  /** Writes pending records and releases the destination. */
  close(): Promise<void>;
}

/** Additional destination for log records. Errors thrown by `write` are ignored. */
export interface LogRecordSink {
  /**
   * Minimum level to write.
   * @default "debug"
   */
  readonly level?: LoggerLevel;
  write(record: LogRecord): void;
}

/** Writes JSON lines to standard error synchronously, without pino. */
export const stderrWriter: LogWriter = {
  write(record) {
    try {
      writeSync(STDERR, `${JSON.stringify(record)}\n`);
    } catch {
      // Standard error is closed, so the record is lost.
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
