/**
 * @fileoverview Logger with eight levels. Entries carry their request context and contain no secrets.
 * @module app/logging/logger
 */
import { safeMessage } from "@tenon/internal/security/safe-text";
import { type Ports, withPorts } from "@tenon/internal/ports";
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
 * @param context request context; if it is omitted or has no `requestId`, the current request's context is used
 * @param extra additional data, logged as `data`; pass errors here as `error`
 */
export type LogMethod = (message: string, context?: object, extra?: object) => void;

/**
 * Logger with eight levels that adds the request context to every entry. It satisfies `Logger` of `tenon`. No method
 * throws.
 */
export interface ContextLogger extends Readonly<Record<LoggerLevel, LogMethod>> {
  /** Alias of `warning`. */
  readonly warn: LogMethod;
  /** Alias of `emerg`. */
  readonly fatal: LogMethod;
  /** Writes one entry. The application standard defines the four parameters. */
  log(level: LoggerLevel, message: string, context?: object, extra?: object): void;
  /** Creates a logger that adds these members to the context of every entry. */
  child(context: object): ContextLogger;
  /** Sets the level of this logger, its parent and its children. Unknown levels are ignored. */
  setLevel(level: string): void;
  isLevelEnabled(level: LoggerLevel): boolean;
  /** Resolves when all entries have been written. */
  flush(): Promise<void>;
  /** Writes pending entries and releases the destination. */
  close(): Promise<void>;
}

/** Options of `createLogger`. */
export interface LoggerOptions extends WriterOptions {
  /** @default "info" */
  readonly level?: string;
  /** A redactor, or the options to create one. */
  readonly redact?: Redactor | RedactorOptions;
  /** Additional destinations, such as the client of the current call. */
  readonly sinks?: readonly LogRecordSink[];
  readonly ports?: Partial<Ports>;
}

/** Logger that can be used before its destination is set. */
export interface AppLogger extends ContextLogger {
  /**
   * Sets level and destination. Earlier entries from `info` upward are written to standard error as JSON immediately:
   * nothing is buffered for an initialization that may fail. A second call replaces the first.
   *
   * @throws if the destination cannot be opened, or `format: "pretty"` is set and pino-pretty is not installed; the
   * logger then keeps its previous state
   */
  initialize(level?: string, options?: Omit<LoggerOptions, "level">): Promise<void>;
}

/**
 * Creates a logger based on pino.
 *
 * @throws if the destination cannot be opened, or `format: "pretty"` is set and pino-pretty is not installed
 */
export async function createLogger(options: LoggerOptions = {}): Promise<ContextLogger> {
  return new RecordLogger(new LoggerState(options, await createPinoWriter(options)));
}

/** Creates a logger that writes to standard error until it is initialized, and again after it is closed. */
export function createAppLogger(options: Pick<LoggerOptions, "ports"> = {}): AppLogger {
  const state = new LoggerState(options, stderrWriter);
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

  /** Writes an entry. Errors are swallowed: a failing log must not break the logged operation. */
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

  // Arrow functions, so that a method can be passed on its own.
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
    // Redacted before spreading, because a getter of the context may throw.
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
    const current = isWhole ? undefined : currentScope()?.context;
    if (own === undefined && current === undefined) return this.#bound;
    return { ...this.#bound, ...asMembers(redactor.value(current)), ...own };
  }
}

function asMembers(value: unknown): object | undefined {
  return typeof value === "object" && value !== null ? value : undefined;
}

function quietly(task: () => void): void {
  try {
    task();
  } catch {
    // There is no place left to report this.
  }
}

/** Shared logger of the application. */
export const logger: AppLogger = /* @__PURE__ */ createAppLogger();
