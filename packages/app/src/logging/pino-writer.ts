/**
 * @fileoverview Writes records by pino: lines of JSON, or for people by pino-pretty.
 * @module app/logging/pino-writer
 */
import { mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DestinationStream, Logger as PinoLogger, pino as Pino } from "pino";
import { LOGGER_LEVELS, type LoggerLevel } from "./levels.js";
import { type LogWriter, stderrWriter } from "./log-writer.js";

/** Destination and format of log lines. */
export interface WriterOptions {
  /**
   * A file descriptor, the path of a file to append to, or anything that takes lines. Standard output (1) is the wire
   * of a server on stdio.
   * @default standard error
   */
  readonly destination?: number | string | LineTarget;
  /**
   * `pretty` is for people, and needs pino-pretty.
   * @default "json"
   */
  readonly format?: "json" | "pretty";
}

/** Takes lines: a stream, for example. */
export interface LineTarget {
  write(line: string): unknown;
}

/** The part of pino-pretty that is used. Its own types are not imported, because it is an optional peer. */
export interface PrettyModule {
  readonly prettyFactory: (options: {
    readonly customLevels: string;
    readonly messageKey: string;
    readonly colorize: boolean;
    readonly translateTime: boolean;
  }) => (line: string) => string;
}

/**
 * Creates a writer. Lines leave in the background, so that a reader who is slow or gone stops nobody; if more than a
 * megabyte waits, what comes then is dropped. What is left when the process exits is written then.
 *
 * @param importPretty imports pino-pretty
 * @throws if a file cannot be opened, or `format` is `pretty` and pino-pretty is not installed
 */
export async function createPinoWriter(
  options: WriterOptions = {},
  importPretty: () => Promise<PrettyModule> = () => import("pino-pretty"),
): Promise<LogWriter> {
  const { destination = STDERR, format = "json" } = options;
  // Imported here, because pino would add to the start of every program that imports this package.
  const { pino } = await import("pino");
  const toShown = format === "pretty" ? await loadPretty(importPretty) : (line: string) => line;
  const target = typeof destination === "object" ? toTarget(destination) : open(pino, destination);
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

/** A destination, with what a stream of pino's own has beside it. */
interface Target {
  readonly stream: DestinationStream;
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function loadPretty(importPretty: () => Promise<PrettyModule>): Promise<(line: string) => string> {
  const { prettyFactory } = await importPretty().catch((cause: unknown) => {
    throw new Error('The log format "pretty" needs pino-pretty: npm install pino-pretty', { cause });
  });
  return prettyFactory({
    customLevels: PRETTY_LEVELS,
    messageKey: "message",
    colorize: false,
    translateTime: false,
  });
}

/** The caller's own stream is neither flushed nor closed by us. */
function toTarget(target: LineTarget): Target {
  return {
    stream: { write: (line) => void target.write(line) },
    async flush() {},
    async close() {},
  };
}

function open(pino: typeof Pino, dest: number | string): Target {
  const stream = pino.destination({
    // pino opens a file in the background, and throws if the process exits before that is done.
    dest: typeof dest === "string" ? openFile(dest) : dest,
    sync: false,
    // Above zero, because otherwise `flush` does not wait.
    minLength: 1,
    maxLength: MAX_WAITING,
  });
  let isBroken = false;
  stream.on("error", () => {
    // A full disk must not end the program; that it lost its log is worth one line elsewhere.
    if (!isBroken) stderrWriter.write(lostRecord());
    isBroken = true;
    // What it still holds would be tried again and again, and at the end of the process without an end.
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

function openFile(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, "a");
  } catch (cause) {
    throw new Error(`The log file ${path} cannot be opened`, { cause });
  }
}

function lostRecord() {
  return {
    level: "error",
    time: new Date().toISOString(),
    message: "The log can no longer be written",
  } as const;
}

const STDERR = 2;
const MAX_WAITING = 1 << 20;

/** Ten apart, as pino numbers its own. */
const LEVELS = /* @__PURE__ */ Object.fromEntries(
  LOGGER_LEVELS.map((level, index) => [level, 10 * (index + 1)]),
) as Record<LoggerLevel, number>;

const PRETTY_LEVELS = /* @__PURE__ */ Object.entries(LEVELS)
  .map(([level, value]) => `${level}:${value}`)
  .join(",");
