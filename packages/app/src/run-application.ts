/**
 * @fileoverview Application lifecycle: initializes the logger, starts the server, and shuts down gracefully.
 * @module app/run-application
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { safeReport } from "@tenon/internal/security/safe-text";

/** Logger for messages to the operator. */
export interface ApplicationLogger {
  info(message: string, context?: Readonly<Record<string, unknown>>): void;
  error(message: string, context?: Readonly<Record<string, unknown>>): void;
  /** Writes pending entries. Called before the process exits. */
  flush?(): MaybePromise<void>;
}

/** A started application, such as the return value of `serve`. */
export interface StartedApplication {
  /** Shuts down gracefully. */
  close(): MaybePromise<void>;
  /** Settles when the application has ended for any reason. */
  readonly closed?: Promise<unknown> | undefined;
}

/** The subset of Node's `process` that is used. */
export interface ApplicationProcess {
  on(event: ProcessEvent, listener: (reason: unknown) => void): unknown;
  off(event: ProcessEvent, listener: (reason: unknown) => void): unknown;
  exit(code: number): void;
  /** Receives the error if the logger cannot be initialized. */
  readonly stderr?: { write(text: string): unknown };
}

/** Process events that end an application. */
export type ProcessEvent = "uncaughtException" | "unhandledRejection" | "SIGTERM" | "SIGINT";

/** Options of `runApplication`. */
export interface ApplicationOptions {
  readonly logger: ApplicationLogger;
  /** Initializes the logger before anything else, for example with the configured level. */
  readonly initializeLogger?: () => MaybePromise<unknown>;
  /** Starts the server. With `serve`, pass `signals: false`, because the application handles signals. */
  readonly start: () => MaybePromise<StartedApplication>;
  /**
   * Maximum duration of the shutdown, in milliseconds.
   * @default 15000
   */
  readonly deadlineMs?: number;
  /** @default this process */
  readonly process?: ApplicationProcess;
}

/**
 * Runs an application and exits the process when it ends. The exit code is 0 after a signal or a normal end, and 1 if
 * the application fails to start, crashes, or exceeds the shutdown deadline. A second signal exits immediately with
 * 130 or 143.
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
      this.#process.stderr?.write(`The logger could not be initialized: ${safeReport(error)}\n`);
      return this.#exit(1);
    }
    try {
      // Registered before the start, so that a signal during startup is handled.
      for (const [event, listener] of this.#listeners) this.#process.on(event, listener);
      this.#started = start();
      const { closed } = await this.#started;
      this.#log("info", "Application started.");
      if (closed === undefined) return;
      await closed;
      await this.#end("Application ended", 0);
    } catch (error) {
      // Errors that a shutdown causes during startup are expected.
      if (this.#ending === undefined) this.#log("error", "Application failed.", error);
      await this.#end("Application failed", 1);
    }
  }

  #onSignal(signal: ProcessEvent): void {
    if (this.#ending === undefined) void this.#end(`Received ${signal}`, 0);
    else this.#exit(SIGNAL_CODES.get(signal) ?? 1);
  }

  /**
   * Handles an uncaught error. The state is unreliable, so shutdown is tried once and a second error exits
   * immediately.
   */
  #onFault(what: string, error: unknown): void {
    this.#log("error", `${what}.`, error);
    if (this.#ending === undefined) void this.#end(what, 1);
    else this.#exit(1);
  }

  #end(reason: string, code: number): Promise<void> {
    return (this.#ending ??= this.#stop(reason, code));
  }

  async #stop(reason: string, code: number): Promise<void> {
    const { deadlineMs = DEFAULT_DEADLINE_MS, logger } = this.#options;
    this.#log("info", `${reason}; shutting down.`);
    const timer = setTimeout(() => {
      this.#log("error", `Shutdown took longer than ${deadlineMs} ms.`);
      this.#exit(1);
    }, deadlineMs);
    let exitCode = code;
    try {
      await this.#close();
      this.#log("info", "Shutdown complete.");
    } catch (error) {
      exitCode = 1;
      this.#log("error", "Shutdown failed.", error);
    }
    try {
      await logger.flush?.();
    } catch {
      exitCode = 1; // the logger itself failed
    }
    clearTimeout(timer);
    this.#exit(exitCode);
  }

  /**
   * Closes the started application. Waits for a start in progress until the deadline. A failed start needs no
   * cleanup.
   */
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

  /** Logs a message. A failing logger must not stop the shutdown. */
  #log(level: "info" | "error", message: string, error?: unknown): void {
    try {
      this.#options.logger[level](message, ...(error === undefined ? [] : [{ error: safeReport(error) }]));
    } catch {
      // There is no other place to report this.
    }
  }
}
