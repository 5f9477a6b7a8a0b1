/**
 * @fileoverview Logger with eight levels that adds the request context to every entry and redacts secrets.
 * @module app/logging/logger
 */
import { safeMessage } from "@tenon/internal/security/safe-text";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { createRequestContextService } from "../context/request-context-service.js";
import { currentScope } from "../context/scope.js";
import { LOGGER_LEVELS, type LoggerLevel, readLoggerLevel, weightOf } from "./levels.js";
import {
  type LogRecord,
  type LogRecordSink,
  type LogWriter,
  nullWriter,
  stderrWriter,
} from "./log-writer.js";
import { createPinoWriter, type WriterOptions } from "./pino-writer.js";
import { createRedactor, type Redactor, type RedactorOptions } from "./redact.js";

/**
 * Writes one entry.
 *
 * @param context request context; the current request's context is added if this one does not have a `requestId`
 * @param extra additional data, logged as `data`; pass errors here as `error`
 */
export type LogMethod = (message: string, context?: object, extra?: object) => void;

/**
 * Logger with eight levels that adds the request context to every entry. It can be used wherever `tenon` expects a
 * `Logger`. Its methods never throw.
 */
export interface ContextLogger extends Readonly<Record<LoggerLevel, LogMethod>> {
  /** Alias for `warning`. */
  readonly warn: LogMethod;
  /** Alias for `emerg`. */
  readonly fatal: LogMethod;
  /** Writes one entry at the given level. */
  log(level: LoggerLevel, message: string, context?: object, extra?: object): void;
  /** Creates a logger that adds these members to every entry's context. */
  child(context: object): ContextLogger;
  /** Sets the level for this logger, its parent, and its children. Unknown levels are ignored. */
  setLevel(level: string): void;
  /** Returns true if the logger or one of its sinks writes entries at this level. */
  isLevelEnabled(level: LoggerLevel): boolean;
  /** Resolves when all entries have been written. */
  flush(): Promise<void>;
  /** Writes pending entries and releases the destination. */
  close(): Promise<void>;
}

/** Options for `createLogger`. */
export interface LoggerOptions extends WriterOptions {
  /** Minimum level to write. @default "info" */
  readonly level?: string;
  /** Redactor, or options to create one. @default a redactor with default options */
  readonly redact?: Redactor | RedactorOptions;
  /** Additional destinations, such as `clientSink()`. */
  readonly sinks?: readonly LogRecordSink[];
  /** Clock, for tests. */
  readonly ports?: Partial<Ports>;
}

/**
 * Logger that can be used before it is initialized. Entries outside of a request have the application's context, with
 * the operation `Application` and one `requestId` for the whole process.
 */
export interface AppLogger extends ContextLogger {
  /**
   * Sets the level and the destination. Until then, entries at `info` and above are written to standard error as JSON;
   * they are not buffered, because initialization may fail. A later call replaces the settings.
   *
   * @throws if the destination cannot be opened, or `format` is `pretty` and pino-pretty is not installed; the previous
   * settings then stay in effect
   */
  initialize(level?: string, options?: Omit<LoggerOptions, "level">): Promise<void>;
}

/**
 * Creates a logger based on pino.
 *
 * @throws if the destination cannot be opened, or `format` is `pretty` and pino-pretty is not installed
 */
export async function createLogger(options: LoggerOptions = {}): Promise<ContextLogger> {
  return new RecordLogger(new LoggerState(options, await createPinoWriter(options)));
}

/** Creates a logger that writes to standard error before it is initialized and after it is closed. */
export function createAppLogger(options: Pick<LoggerOptions, "ports"> = {}): AppLogger {
  const state = new LoggerState(options, stderrWriter);
  let context: object | undefined;
  state.outside = () =>
    (context ??= createRequestContextService({ ports: options.ports ?? {} }).createRequestContext({
      operation: "Application",
    }));
  const close = async () => {
    const { writer } = state;
    state.writer = stderrWriter;
    await writer.close();
  };
  const initialize = async (level = "info", more: Omit<LoggerOptions, "level"> = {}) => {
    const writer = await createPinoWriter(more);
    const before = state.writer;
    state.configure({ ...options, ...more, level });
    state.writer = writer;
    await before.close();
  };
  return Object.assign(new RecordLogger(state), { initialize, close });
}

/** State shared by a logger and its children. */
class LoggerState {
  writer: LogWriter;
  now: () => number;
  redactor: Redactor;
  sinks: readonly LogRecordSink[] = [];
  /** Returns the context for entries outside of a request. */
  outside: (() => object) | undefined;
  level = weightOf("info");
  /** Lowest level that any destination accepts. */
  threshold = this.level;

  constructor(options: LoggerOptions, writer: LogWriter) {
    this.writer = writer;
    this.now = withPorts(options.ports).now;
    this.redactor = createRedactor();
    this.configure(options);
  }

  configure({ level, redact = {}, sinks = [], ports }: LoggerOptions): void {
    this.now = withPorts(ports).now;
    this.redactor = "value" in redact ? redact : createRedactor(redact);
    this.sinks = sinks;
    this.setLevel(level ?? "info");
  }

  setLevel(name: string): void {
    this.level = weightOf(readLoggerLevel(name) ?? LOGGER_LEVELS[this.level] ?? "info");
    this.threshold = Math.min(this.level, ...this.sinks.map(({ level = "debug" }) => weightOf(level)));
  }

  /** Writes an entry. Errors are ignored, because a logging failure must not break the operation. */
  write(level: LoggerLevel, entry: Omit<LogRecord, "level" | "time">): void {
    const time = new Date(this.now()).toISOString();
    const record: LogRecord = { level, time, ...entry };
    const weight = weightOf(level);
    if (weight >= this.level) quietly(() => this.writer.write(record));
    for (const sink of this.sinks) {
      if (weight >= weightOf(sink.level ?? "debug")) quietly(() => sink.write(record));
    }
  }
}

class RecordLogger implements ContextLogger {
  readonly #state: LoggerState;
  readonly #bound: object | undefined;

  constructor(state: LoggerState, bound?: object) {
    this.#state = state;
    this.#bound = bound;
  }

  // Arrow functions keep `this` when a method is passed as a callback.
  readonly debug: LogMethod = (message, context, extra) => this.log("debug", message, context, extra);
  readonly info: LogMethod = (message, context, extra) => this.log("info", message, context, extra);
  readonly notice: LogMethod = (message, context, extra) => this.log("notice", message, context, extra);
  readonly warning: LogMethod = (message, context, extra) => this.log("warning", message, context, extra);
  readonly warn: LogMethod = this.warning;
  readonly error: LogMethod = (message, context, extra) => this.log("error", message, context, extra);
  readonly crit: LogMethod = (message, context, extra) => this.log("crit", message, context, extra);
  readonly alert: LogMethod = (message, context, extra) => this.log("alert", message, context, extra);
  readonly emerg: LogMethod = (message, context, extra) => this.log("emerg", message, context, extra);
  readonly fatal: LogMethod = this.emerg;

  // oxlint-disable-next-line max-params -- the application standard defines this signature
  log(level: LoggerLevel, message: string, context?: object, extra?: object): void {
    if (!this.isLevelEnabled(level)) return;
    // JavaScript callers may pass an error as the only argument.
    if (typeof message !== "string") return this.log(level, safeMessage(message), message, extra);
    quietly(() => {
      const { redactor } = this.#state;
      const data = context instanceof Error ? { error: context, ...extra } : extra;
      const shown = this.#contextOf(context instanceof Error ? undefined : context);
      this.#state.write(level, {
        message: redactor.text(message).replace(/[\p{Cc}\u2028\u2029]+/gu, " "),
        ...(shown === undefined ? {} : { context: shown }),
        ...(data === undefined ? {} : { data: redactor.value(data) }),
      });
    });
  }

  child(context: object): ContextLogger {
    const { redactor } = this.#state;
    // Redacted before spreading, because the context's getters may throw.
    return new RecordLogger(this.#state, { ...this.#bound, ...asMembers(redactor.value(context)) });
  }

  setLevel(level: string): void {
    this.#state.setLevel(level);
  }

  isLevelEnabled(level: LoggerLevel): boolean {
    return weightOf(level) >= this.#state.threshold;
  }

  flush(): Promise<void> {
    return this.#state.writer.flush();
  }

  async close(): Promise<void> {
    const { writer } = this.#state;
    this.#state.writer = nullWriter;
    await writer.close();
  }

  #contextOf(passed: object | undefined): object | undefined {
    const { redactor } = this.#state;
    const own = passed === undefined ? undefined : asMembers(redactor.value(passed));
    const isWhole = own !== undefined && "requestId" in own;
    const current = isWhole ? undefined : (currentScope()?.context ?? this.#outside());
    if (own === undefined && current === undefined) return this.#bound;
    return { ...this.#bound, ...asMembers(redactor.value(current)), ...own };
  }

  /** A child logger whose members include a `requestId` already has a context. */
  #outside(): object | undefined {
    return this.#bound !== undefined && "requestId" in this.#bound ? undefined : this.#state.outside?.();
  }
}

function asMembers(value: unknown): object | undefined {
  return typeof value === "object" && value !== null ? value : undefined;
}

function quietly(task: () => void): void {
  try {
    task();
  } catch {
    // The log itself failed, so this cannot be reported.
  }
}

/** The application's shared logger. */
export const logger: AppLogger = /* @__PURE__ */ createAppLogger();
