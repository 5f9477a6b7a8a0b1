/**
 * @fileoverview The life of an application: its log, its start, and an end in good order, whatever brings it about.
 * @module app/run-application
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { safeReport } from "@tenon/internal/security/safe-text";

/** Takes lines for the operator. */
export interface ApplicationLogger {
  info(message: string, context?: Readonly<Record<string, unknown>>): void;
  error(message: string, context?: Readonly<Record<string, unknown>>): void;
  /** Writes out what it still holds; asked before the process ends. */
  flush?(): MaybePromise<void>;
}

/** A started application, such as the return value of `serve`. */
export interface StartedApplication {
  /** Ends it in good order. */
  close(): MaybePromise<void>;
  /** Settles when it has ended, by itself or otherwise. */
  readonly closed?: Promise<unknown> | undefined;
}

/** The part of Node's `process` that an application's life depends on. */
export interface ApplicationProcess {
  on(event: ProcessEvent, listener: (reason: unknown) => void): unknown;
  off(event: ProcessEvent, listener: (reason: unknown) => void): unknown;
  exit(code: number): void;
  /** Where it is told that the logger is not ready: there is no other place. */
  readonly stderr?: { write(text: string): unknown };
}

/** Events of the process that end an application. */
export type ProcessEvent = "uncaughtException" | "unhandledRejection" | "SIGTERM" | "SIGINT";

/** Options of `runApplication`. */
export interface ApplicationOptions {
  readonly logger: ApplicationLogger;
  /** Makes the logger ready, before anything else: with the configured level, for example. */
  readonly initializeLogger?: () => MaybePromise<unknown>;
  /** Starts the server. With `serve`, leave the signals to the application: `signals: false`. */
  readonly start: () => MaybePromise<StartedApplication>;
  /**
   * How long the end may take, in milliseconds.
   * @default 15000
   */
  readonly deadlineMs?: number;
  /** @default this process */
  readonly process?: ApplicationProcess;
}

/**
 * Runs an application until it ends, and with it the process: with code 0 after a signal or when the application ended
 * by itself, 1 where it did not start, broke, or took too long to end. A second signal ends it at once, with 130 or 143.
 *
 * @example await runApplication({ logger, start: () => serve(server, { ...toServeOptions(config), signals: false }) });
 */
export async function runApplication(options: ApplicationOptions): Promise<void> {
  await new Lifecycle(options).run();
}

const SIGNAL_CODES: ReadonlyMap<ProcessEvent, number> = /* @__PURE__ */ new Map([
  ["SIGINT", 130],
  ["SIGTERM", 143],
]);
const DEFAULT_DEADLINE_MS = 15_000;

/** One run of an application. */
class Lifecycle {
  readonly #options: ApplicationOptions;
  readonly #process: ApplicationProcess;
  readonly #listeners: ReadonlyMap<ProcessEvent, (reason: unknown) => void>;
  #started: MaybePromise<StartedApplication> | undefined;
  #ending: Promise<void> | undefined;
  #isOver = false;

  constructor(options: ApplicationOptions) {
    this.#options = options;
    this.#process = options.process ?? process;
    this.#listeners = new Map<ProcessEvent, (reason: unknown) => void>([
      ["SIGTERM", () => this.#onSignal("SIGTERM")],
      ["SIGINT", () => this.#onSignal("SIGINT")],
      ["uncaughtException", (error) => this.#onFault("Uncaught exception", error)],
      ["unhandledRejection", (error) => this.#onFault("Unhandled rejection", error)],
    ]);
  }

  async run(): Promise<void> {
    const { initializeLogger, start } = this.#options;
    try {
      await initializeLogger?.();
    } catch (error) {
      this.#process.stderr?.write(`The logger is not ready: ${safeReport(error)}\n`);
      return this.#exit(1);
    }
    try {
      // From before the start on: a signal that comes in the middle of it must find someone.
      for (const [event, listener] of this.#listeners) this.#process.on(event, listener);
      this.#started = start();
      const { closed } = await this.#started;
      this.#log("info", "Application started");
      if (closed === undefined) return;
      await closed;
      await this.#end("Application ended", 0);
    } catch (error) {
      // What goes wrong because the application is told to end is no news.
      if (this.#ending === undefined) this.#log("error", "Application failed", error);
      await this.#end("Application failed", 1);
    }
  }

  #onSignal(signal: ProcessEvent): void {
    if (this.#ending === undefined) void this.#end(`Received ${signal}`, 0);
    else this.#exit(SIGNAL_CODES.get(signal) ?? 1);
  }

  /** After a fault nothing is certain any more: the end is tried once, and a second fault cuts it short. */
  #onFault(what: string, error: unknown): void {
    this.#log("error", what, error);
    if (this.#ending === undefined) void this.#end(what, 1);
    else this.#exit(1);
  }

  #end(reason: string, code: number): Promise<void> {
    return (this.#ending ??= this.#stop(reason, code));
  }

  async #stop(reason: string, code: number): Promise<void> {
    const { deadlineMs = DEFAULT_DEADLINE_MS, logger } = this.#options;
    this.#log("info", `${reason}; shutting down`);
    const timer = setTimeout(() => {
      this.#log("error", `Shutdown took longer than ${deadlineMs} ms`);
      this.#exit(1);
    }, deadlineMs);
    let exitCode = code;
    try {
      await this.#close();
      this.#log("info", "Shutdown complete");
    } catch (error) {
      exitCode = 1;
      this.#log("error", "Shutdown failed", error);
    }
    try {
      await logger.flush?.();
    } catch {
      exitCode = 1; // there is no one left to tell
    }
    clearTimeout(timer);
    this.#exit(exitCode);
  }

  /** Closes what was started. A start under way is waited for, as far as the deadline goes; a failed one left nothing. */
  async #close(): Promise<void> {
    const started = this.#started;
    const application = isPromise(started) ? await started.catch(() => undefined) : started;
    await application?.close();
  }

  #exit(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const [event, listener] of this.#listeners) this.#process.off(event, listener);
    this.#process.exit(code);
  }

  /** A logger that fails must not stop the end. */
  #log(level: "info" | "error", message: string, error?: unknown): void {
    try {
      this.#options.logger[level](message, ...(error === undefined ? [] : [{ error: safeReport(error) }]));
    } catch {
      // the log is the only place this could be told
    }
  }
}
