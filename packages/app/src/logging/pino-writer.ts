/**
 * @fileoverview Writes records with pino, as JSON lines or in the readable format of pino-pretty.
 * @module app/logging/pino-writer
 */
import { openSync } from "node:fs";
import { dirname } from "node:path";
import { fileReasonOf, toFileError } from "@tenon/internal/files/file-error";
import { makeFolder } from "@tenon/internal/files/make-folder";
import { safeMessage } from "@tenon/internal/security/safe-text";
import type { DestinationStream, Logger as PinoLogger, pino as Pino } from "pino";
import { requestContextService } from "../context/request-context-service.js";
import { LOGGER_LEVELS, type LoggerLevel } from "./levels.js";
import { type LogWriter, stderrWriter } from "./log-writer.js";

/** Destination and format for log lines. */
export interface WriterOptions {
  /**
   * File descriptor, path of a file to append to, or an object with a `write` method. Do not use standard output (1)
   * on a stdio server, because it carries protocol messages.
   * @default standard error
   */
  readonly destination?: number | string | LineTarget;
  /**
   * `json` writes one JSON object per line. `pretty` is for reading in a terminal and requires pino-pretty.
   * @default "json"
   */
  readonly format?: "json" | "pretty";
}

/** Object that accepts lines, such as a stream. */
export interface LineTarget {
  write(line: string): unknown;
}

/** The subset of pino-pretty used here. Its types are not imported, because it is an optional peer dependency. */
export interface PrettyModule {
  readonly prettyFactory: (options: {
    readonly customLevels: string;
    readonly messageKey: string;
    readonly colorize: boolean;
    readonly translateTime: boolean;
  }) => (line: string) => string;
}

/**
 * Creates a writer. Lines are written in the background, so that a slow destination does not block the program. While
 * more than 1 MiB is pending, new lines are dropped. Pending lines are written when the process exits.
 *
 * @param importPretty imports pino-pretty
 * @throws if a file cannot be opened, or `format` is `pretty` and pino-pretty is not installed
 */
export async function createPinoWriter(
  options: WriterOptions = {},
  importPretty: () => Promise<PrettyModule> = () => import("pino-pretty"),
): Promise<LogWriter> {
  const { destination = STDERR, format = "json" } = options;
  // Imported lazily, because pino would slow down the start of every program that imports this package.
  const { pino } = await import("pino");
  const toShown = format === "pretty" ? await loadPretty(importPretty) : (line: string) => line;
  const target = typeof destination === "object" ? toTarget(destination) : await open(pino, destination);
  const log: PinoLogger<LoggerLevel, true> = pino<LoggerLevel, true>(
    {
      customLevels: LEVELS,
      useOnlyCustomLevels: true,
      level: "debug",
      base: null,
      timestamp: false,
      messageKey: "message",
      depthLimit: 32,
      edgeLimit: 2_000,
      formatters: { level: (level) => ({ level }) },
    },
    { write: (line) => target.stream.write(toShown(line)) },
  );
  return {
    write({ level, message, ...members }) {
      log[level](members, message);
    },
    flush: () => target.flush(),
    close: () => target.close(),
  };
}

/** Open destination with functions to flush and close it. */
interface Target {
  readonly stream: DestinationStream;
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function loadPretty(importPretty: () => Promise<PrettyModule>): Promise<(line: string) => string> {
  const { prettyFactory } = await importPretty().catch((cause: unknown) => {
    throw new Error(
      'The log format "pretty" requires the package "pino-pretty". Install it: npm install pino-pretty',
      { cause },
    );
  });
  return prettyFactory({
    customLevels: PRETTY_LEVELS,
    messageKey: "message",
    colorize: false,
    translateTime: false,
  });
}

/** Wraps the caller's stream. The caller flushes and closes it. */
function toTarget(target: LineTarget): Target {
  return {
    stream: { write: (line) => void target.write(line) },
    async flush() {},
    async close() {},
  };
}

async function open(pino: typeof Pino, dest: number | string): Promise<Target> {
  const stream = pino.destination({
    // pino would open the file in the background, and throw if the process exits before that.
    dest: typeof dest === "string" ? await openFile(dest) : dest,
    sync: false,
    // With 0, `flush` would not wait.
    minLength: 1,
    maxLength: MAX_WAITING,
  });
  let isBroken = false;
  stream.on("error", (error: unknown) => {
    // A full disk must not crash the program. The loss is reported once on standard error.
    if (!isBroken) stderrWriter.write(lostRecord(dest, error));
    isBroken = true;
    // Otherwise the stream would retry its buffer forever and block process exit.
    stream.flushSync = () => {};
    stream.destroy();
  });
  return {
    stream: { write: (line) => void (isBroken || stream.write(line)) },
    flush: () =>
      isBroken
        ? Promise.resolve()
        : new Promise((resolve) => {
            stream.once("error", () => resolve());
            stream.flush(() => resolve());
          }),
    close: () =>
      isBroken
        ? Promise.resolve()
        : new Promise((resolve) => {
            stream.once("error", () => resolve());
            stream.once("close", resolve);
            stream.end();
          }),
  };
}

async function openFile(path: string): Promise<number> {
  try {
    await makeFolder(dirname(path));
    return openSync(path, "a");
  } catch (cause) {
    throw toFileError("open the log file", path, cause);
  }
}

function lostRecord(dest: number | string, error: unknown) {
  const name = typeof dest === "string" ? `the log file ${JSON.stringify(dest)}` : "the log";
  return {
    level: "error",
    time: new Date().toISOString(),
    message: `Could not write to ${name}: ${fileReasonOf(error) ?? safeMessage(error)}. Further log entries will be lost.`,
    context: requestContextService.createRequestContext({ operation: "WriteLog" }),
  } as const;
}

const STDERR = 2;
const MAX_WAITING = 1 << 20;

/** Level numbers in steps of ten, as in pino. */
const LEVELS = /* @__PURE__ */ Object.fromEntries(
  LOGGER_LEVELS.map((level, index) => [level, 10 * (index + 1)]),
) as Record<LoggerLevel, number>;

const PRETTY_LEVELS = /* @__PURE__ */ Object.entries(LEVELS)
  .map(([level, value]) => `${level}:${value}`)
  .join(",");
