/**
 * @fileoverview Tasks of one server: creates them, runs them for the engine, and handles the methods of the extension.
 * @module tenon/tasks/task-runtime
 */
import type { JsonObject } from "@tenon/internal/json";
import { isInstance } from "@tenon/internal/thrown";
import type { Call } from "../core/call/call.js";
import type { ExtensionHost } from "../core/definitions/attached-extension.js";
import { isVisibleTo } from "../core/wire/access.js";
import { Closing } from "../core/wire/closing.js";
import type { Auth } from "../core/wire/exchange.js";
import { McpError } from "../protocol/index.js";
import { RequestError } from "../protocol/errors.js";
import { findInvalidAnswer } from "./answers.js";
import { type TaskEngine, TaskEngineError } from "./engine/task-engine.js";
import { createRecord, type NewTask } from "./new-record.js";
import type { TaskSettings } from "./options.js";
import { AbandonedHandlers } from "./running/abandoned-handlers.js";
import { runTask } from "./running/run-task.js";
import { LiveContexts } from "./running/live-contexts.js";
import { type TaskChange, TaskStore } from "./running/task-store.js";
import { recordAnswers, requestCancel } from "./state/transitions.js";
import { isFinal, type TaskRecord } from "./state/record.js";

/** Tasks of one server. */
export class TaskRuntime {
  readonly host: ExtensionHost;
  readonly settings: TaskSettings;
  /** Handlers of this process that still run although their tasks have ended. */
  readonly abandoned: AbandonedHandlers;
  #engine: TaskEngine;
  #store: TaskStore;
  #contexts: LiveContexts;
  #ownsEngine: boolean;
  /** True if other nodes run tasks of this server, too. */
  #isOnEveryNode = false;
  #stopWork: (() => Promise<void>) | undefined;
  #closed: Promise<void> | undefined;
  /** Tools whose handlers were abandoned, which is reported once for each of them. */
  readonly #stubborn = new Set<string>();

  constructor(
    host: ExtensionHost,
    settings: TaskSettings,
    { engine, isShared }: { readonly engine: TaskEngine; readonly isShared: boolean },
  ) {
    this.host = host;
    this.settings = settings;
    const { concurrency: total, concurrencyPerPrincipal: perPrincipal } = settings;
    this.abandoned = new AbandonedHandlers({ total, perPrincipal });
    this.#engine = engine;
    this.#ownsEngine = !isShared;
    this.#store = new TaskStore(engine, host.services.ports);
    this.#contexts = LiveContexts.of(engine, host.services.ports);
  }

  /** Engine that stores and runs the tasks. */
  get engine(): TaskEngine {
    return this.#engine;
  }

  /** Records of the engine. */
  get store(): TaskStore {
    return this.#store;
  }

  /** Contexts of the requests whose tasks have not finished. */
  get contexts(): LiveContexts {
    return this.#contexts;
  }

  /** Replaces an engine that has not been used yet. The server closes the new one. */
  useEngine(engine: TaskEngine): void {
    const { ports } = this.host.services;
    if (this.#ownsEngine) void this.#engine.close();
    this.#engine = engine;
    this.#ownsEngine = true;
    this.#isOnEveryNode = true;
    this.#store = new TaskStore(engine, ports);
    this.#contexts = LiveContexts.of(engine, ports);
  }

  /** Starts to run tasks, including those of an earlier process. Later calls have no effect. */
  start(): void {
    const { closing } = this.host.services;
    if (this.#stopWork !== undefined || closing.isClosed) return;
    const stopping = new Closing();
    this.#stopWork = this.engine.work({
      run: (taskId, stored) => runTask(this, { taskId, stored }, stopping),
      serves: (record) => record.server === this.host.name,
      report: (error) => this.report("tasks", error),
    });
    closing.onClose(() => {
      this.#closed = this.#close(stopping);
    });
  }

  /** Resolves when the tasks of a closed server no longer run. */
  async idle(): Promise<void> {
    await this.#closed;
  }

  /** Logs a failure that no client receives. Of the failures while the engine is not available, only the first one. */
  report(name: string, error: unknown): void {
    const isOutage = isInstance(error, TaskEngineError) && error.code === "unavailable";
    if (isOutage && !this.host.services.outage.begins()) return;
    this.host.services.log?.({ level: "error", event: "task-failed", operation: "tasks", name, error });
  }

  /** Logs that a tool's handler does not stop. Once for each tool, because clients can repeat the cause. */
  reportAbandoned(tool: string): void {
    if (this.#stubborn.has(tool)) return;
    this.#stubborn.add(tool);
    this.report(tool, new Error(ABANDONED));
  }

  /** Logs that this node has taken over a task. */
  warn(tool: string, message: string): void {
    const text = `Tool "${tool}": ${message}`;
    const event = "task-taken-over";
    this.host.services.log?.({ level: "warning", event, operation: "tasks", name: tool, message: text });
  }

  /**
   * Creates a task for a call and queues it.
   *
   * @throws {McpError} if a limit is reached, if the server is closing, or if the engine fails
   */
  async create(created: NewTask): Promise<TaskRecord> {
    if (this.host.services.closing.isClosed)
      throw new RequestError("SERVICE_UNAVAILABLE", "The server is closing. Try again later.");
    this.start();
    const { call } = created;
    const record = createRecord(this, created);
    if (record.bytes > this.settings.maxTaskBytes) {
      const limit = `(limit: ${this.settings.maxTaskBytes} bytes)`;
      throw new McpError("INVALID_PARAMS", `The arguments are too large for a task ${limit}.`);
    }
    if (record.request.hasContext && this.settings.context === undefined) this.#keepContext(record, call);
    try {
      await this.#guard(record.tool, () => this.engine.create(record));
    } catch (error) {
      this.contexts.drop(record.taskId);
      throw error;
    }
    return record;
  }

  /** Returns a task that the caller may use. @throws {McpError} for an unknown ID, and for a task of somebody else */
  async find(taskId: string, { auth }: Pick<Call, "auth">): Promise<TaskRecord> {
    this.start();
    const read = () => this.store.read(taskId, (record) => this.isVisible(record, auth));
    const record = taskId.length > MAX_ID ? undefined : await this.#guard("tasks/get", read);
    if (record === undefined) throw unknownTask();
    return record;
  }

  /**
   * Returns true if a caller may use a task now. The caller needs the scopes that the call required, and those that the
   * tool requires in this version of the server, if it still has the tool.
   */
  isVisible({ server, principal, tool, scopes = [] }: TaskRecord, auth: Auth | undefined): boolean {
    const current = this.host.findTool(tool)?.scopes ?? [];
    const belongings = { server, principal, scopes: [...scopes, ...current] };
    return isVisibleTo(belongings, { server: this.host.name, auth });
  }

  /** Records answers. @throws {McpError} if the task is unknown or an answer is invalid; then none is recorded */
  async answer(taskId: string, call: Call, given: JsonObject): Promise<void> {
    await this.find(taskId, call);
    const change: TaskChange = (record, now) => {
      const problem =
        record.status === "input_required" ? findInvalidAnswer(record.journal.questions, given) : undefined;
      if (problem !== undefined) throw new McpError("INVALID_PARAMS", problem);
      const next = recordAnswers(record, now, given);
      if (next !== undefined && next.bytes > this.settings.maxTaskBytes) {
        const limit = `(limit: ${this.settings.maxTaskBytes} bytes)`;
        throw new McpError("INVALID_PARAMS", `The answers are too large ${limit}.`);
      }
      return next;
    };
    await this.#guard("tasks/update", () => this.store.change(taskId, change));
  }

  /** Cancels a task, or asks its handler to stop. Has no effect on a finished task. */
  async cancel(taskId: string, call: Call): Promise<void> {
    await this.find(taskId, call);
    const record = await this.#guard("tasks/cancel", () => this.store.change(taskId, requestCancel));
    if (record !== undefined && isFinal(record)) this.contexts.drop(taskId);
  }

  /** Converts the errors of the engine to errors for the client, and logs those that are not the client's concern. */
  async #guard<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isInstance(error, McpError)) throw error;
      const code = isInstance(error, TaskEngineError) ? error.code : undefined;
      if (isInstance(error, TaskEngineError) && code === "full")
        throw new RequestError("TOO_MANY_CALLS", `${error.message} Try again later.`);
      this.report(name, error);
      throw code === "unavailable"
        ? new RequestError("SERVICE_UNAVAILABLE", "Tasks are not available at the moment. Try again later.")
        : new RequestError("INTERNAL_ERROR", "Internal error");
    }
  }

  /** Keeps the context of a request for its task. @throws if the task may run on a different node */
  #keepContext(record: TaskRecord, { context }: Call): void {
    if (!this.#isOnEveryNode) return this.contexts.keep(record, context);
    const message =
      "Tasks run on any node, and the context of a request exists only on the node that received it. " +
      "Pass `context` to `tasks()`, so that every node can create it.";
    this.report(record.tool, new Error(message));
    throw new RequestError("INTERNAL_ERROR", "Internal error");
  }

  /** Gives running tasks time to finish, and then aborts their signals. */
  async #close(stopping: Closing): Promise<void> {
    const { ports } = this.host.services;
    const stopTimer = ports.startTimer(() => stopping.close(), this.settings.closeGraceMs, true);
    try {
      await this.#stopWork?.();
      if (this.#ownsEngine) await this.engine.close();
    } catch (error) {
      this.report("tasks", error);
    } finally {
      stopTimer();
    }
  }
}

const ABANDONED =
  "The handler of a task that was cancelled or has expired did not stop. It no longer counts toward `concurrency`. " +
  "At most as many handlers again may run like this, and later ones keep their place until they end. " +
  "Pass `call.signal` to everything that takes long. This is logged once for each tool.";

/** Maximum length of an ID from a client. */
const MAX_ID = 128;

/** Creates the error for an ID that is unknown or has expired, and for a task that the caller may not use. */
function unknownTask(): McpError {
  return new McpError("INVALID_PARAMS", "Unknown task. It may have expired.");
}
