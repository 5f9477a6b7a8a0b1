/**
 * @fileoverview Runs an application: initializes the logger, starts the server, and shuts it down gracefully.
 * @module app/run-application
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { safeReport } from "@tenon/internal/security/safe-text";
import { requestContextService } from "./context/request-context-service.js";
import type { RequestContext } from "./context/request-context.js";

/** Logger for startup, shutdown, and fatal errors. Each entry has a request context and, if one occurred, the error. */
export interface ApplicationLogger {
  info(message: string, context?: Readonly<Record<string, unknown>>): void;
  error(message: string, context?: Readonly<Record<string, unknown>>): void;
  /** Writes pending entries. Called once, before the process exits. */
  flush?(): MaybePromise<void>;
}

/** A running application, such as the return value of `serve`. */
export interface StartedApplication {
  /** Shuts the application down gracefully. Called at most once. */
  close(): MaybePromise<void>;
  /** Announces the shutdown to load balancers. Called on SIGTERM, before `close`. */
  drain?(): MaybePromise<void>;
  /** Settles when the application has ended, for example because the client disconnected. */
  readonly closed?: Promise<unknown> | undefined;
}

/** The subset of Node's `process` that `runApplication` uses. */
export interface ApplicationProcess {
  on(event: ProcessEvent, listener: (reason: unknown) => void): unknown;
  off(event: ProcessEvent, listener: (reason: unknown) => void): unknown;
  exit(code: number): void;
  /** Receives the error message if the logger cannot be initialized. */
  readonly stderr?: { write(text: string): unknown };
}

/** Process events that stop an application. */
export type ProcessEvent = "uncaughtException" | "unhandledRejection" | "SIGTERM" | "SIGINT";

/** Options for `runApplication`. */
export interface ApplicationOptions {
  /** Receives startup, shutdown, and fatal errors. */
  readonly logger: ApplicationLogger;
  /** Runs before `start`, for example to set the configured log level. If it throws, the process exits with code 1. */
  readonly initializeLogger?: () => MaybePromise<unknown>;
  /** Starts the server. Pass `signals: false` to `serve`, because `runApplication` handles signals. */
  readonly start: () => MaybePromise<StartedApplication>;
  /**
   * Maximum duration of the shutdown in milliseconds, after `drain`. Then the process exits with code 1.
   * @default 15000
   */
  readonly deadlineMs?: number;
  /** Process to control. @default the current process */
  readonly process?: ApplicationProcess;
}

/**
 * Runs an application and exits the process when it ends. The exit code is 0 after a signal or a normal end, and 1 if
 * startup fails, the application crashes, or shutdown exceeds its deadline. A second signal exits immediately with
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

/** State of one run, from startup to exit. */
class Lifecycle {
  readonly #options: ApplicationOptions;
  readonly #process: ApplicationProcess;
  readonly #listeners: ReadonlyMap<ProcessEvent, (reason: unknown) => void>;
  /** Context of the current phase. Entries of one phase have the same `requestId`. */
  #context: RequestContext;
  #started: MaybePromise<StartedApplication> | undefined;
  #ending: Promise<void> | undefined;
  #isOver = false;

  constructor(options: ApplicationOptions) {
    this.#options = options;
    this.#process = options.process ?? process;
    this.#context = requestContextService.createRequestContext({ operation: "StartApplication" });
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
      this.#process.stderr?.write(`Could not initialize the logger: ${safeReport(error)}\n`);
      return this.#exit(1);
    }
    try {
      // Listeners are registered first, so that signals during startup are handled.
      for (const [event, listener] of this.#listeners) this.#process.on(event, listener);
      this.#started = start();
      const { closed } = await this.#started;
      this.#log("info", "Application started.");
      if (closed === undefined) return;
      await closed;
      await this.#end("Application ended", 0);
    } catch (error) {
      // A shutdown during startup is expected to make `start` fail.
      if (this.#ending === undefined) this.#log("error", "Application failed.", error);
      await this.#end("Application failed", 1);
    }
  }

  #onSignal(signal: ProcessEvent): void {
    if (this.#ending === undefined) void this.#end(`Received ${signal}`, 0, signal === "SIGTERM");
    else this.#exit(SIGNAL_CODES.get(signal) ?? 1);
  }

  /**
   * Handles an uncaught error. The process state is unreliable now, so shutdown is attempted once, and a second error
   * exits immediately.
   */
  #onFault(what: string, error: unknown): void {
    this.#log("error", `${what}.`, error);
    if (this.#ending === undefined) void this.#end(what, 1);
    else this.#exit(1);
  }

  #end(reason: string, code: number, drains = false): Promise<void> {
    return (this.#ending ??= this.#stop(reason, code, drains));
  }

  async #stop(reason: string, code: number, drains: boolean): Promise<void> {
    const { deadlineMs = DEFAULT_DEADLINE_MS, logger } = this.#options;
    this.#context = requestContextService.createRequestContext({
      parentContext: this.#context,
      operation: "StopApplication",
    });
    this.#log("info", `${reason}; shutting down.`);
    let exitCode = code;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const startDeadline = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.#log("error", `Shutdown took longer than ${deadlineMs} ms. Exiting with code 1.`);
        this.#exit(1);
      }, deadlineMs);
    };
    startDeadline();
    try {
      const application = await this.#untilStarted();
      if (drains && application?.drain !== undefined) {
        clearTimeout(timer);
        await application.drain();
        startDeadline();
      }
      await application?.close();
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

  /** Returns the application, and waits for one that is still starting. A failed start needs no cleanup. */
  async #untilStarted(): Promise<StartedApplication | undefined> {
    const started = this.#started;
    return isPromise(started) ? started.catch(() => undefined) : started;
  }

  #exit(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const [event, listener] of this.#listeners) this.#process.off(event, listener);
    this.#process.exit(code);
  }

  /** Logs a message. Errors from the logger must not interrupt the shutdown. */
  #log(level: "info" | "error", message: string, error?: unknown): void {
    try {
      const failure = error === undefined ? {} : { error: safeReport(error) };
      this.#options.logger[level](message, { ...this.#context, ...failure });
    } catch {
      // The logger failed, so the message cannot be reported.
    }
  }
}
