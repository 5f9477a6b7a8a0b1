/**
 * @fileoverview Tasks of one server: creates them, runs them for the engine, and handles the methods of the extension.
 * @module tasks/task-runtime
 */
import { toBase64Url } from "@tenon/internal/base64";
import type { JsonObject } from "@tenon/internal/json";
import { isInstance } from "@tenon/internal/thrown";
import type { Call } from "../core/call/call.js";
import { keepIdempotencyKey } from "../core/call/idempotency-key.js";
import { type CallState, EMPTY_STATE } from "../core/call/state.js";
import type { ExtensionHost } from "../core/definitions/attached-extension.js";
import type { ToolEntry } from "../core/definitions/tool.js";
import type { ToolTask } from "../core/definitions/tool-task.js";
import { Closing } from "../core/wire/closing.js";
import { McpError, RequestError } from "../protocol/index.js";
import { findInvalidAnswer } from "./answers.js";
import { type TaskEngine, TaskEngineError } from "./engine/task-engine.js";
import type { TaskSettings } from "./options.js";
import { runTask } from "./running/run-task.js";
import { LiveContexts } from "./running/live-contexts.js";
import { type TaskChange, TaskStore } from "./running/task-store.js";
import { BASE_BYTES, jsonBytes } from "./state/size.js";
import { EMPTY_JOURNAL, recordAnswers, requestCancel } from "./state/transitions.js";
import { isFinal, type TaskRecord, type TaskRequest } from "./state/record.js";

/** Call that becomes a task. */
export interface NewTask {
  readonly entry: ToolEntry;
  readonly task: ToolTask;
  readonly call: Call;
  /** Arguments as the client sent them. They are validated again in every run. */
  readonly args: JsonObject;
}

/** Tasks of one server. */
export class TaskRuntime {
  readonly host: ExtensionHost;
  readonly settings: TaskSettings;
  #engine: TaskEngine;
  #store: TaskStore;
  #contexts: LiveContexts;
  #ownsEngine: boolean;
  /** True if other nodes run tasks of this server, too. */
  #isOnEveryNode = false;
  #stopWork: (() => Promise<void>) | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    host: ExtensionHost,
    settings: TaskSettings,
    { engine, isShared }: { readonly engine: TaskEngine; readonly isShared: boolean },
  ) {
    this.host = host;
    this.settings = settings;
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

  /** Logs a failure that no client receives. */
  report(name: string, error: unknown): void {
    this.host.services.log?.({ level: "error", event: "task-failed", operation: "tasks", name, error });
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
    const record = this.#newRecord(created);
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

  /** Returns a task that belongs to the caller. @throws {McpError} for an unknown ID and for a different owner */
  async find(taskId: string, call: Pick<Call, "auth">): Promise<TaskRecord> {
    this.start();
    const record =
      taskId.length > MAX_ID ? undefined : await this.#guard("tasks/get", () => this.store.read(taskId));
    if (record === undefined || record.principal !== (call.auth?.principal ?? null)) throw unknownTask();
    return record;
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

  #newRecord({ entry, task, call, args }: NewTask): TaskRecord {
    const { ports } = this.host.services;
    const now = ports.now();
    const { resultTtlMs } = this.settings;
    const ttlMs = task.ttlMs === undefined ? this.settings.ttlMs : task.ttlMs;
    const gathered = call.questions?.gathered() ?? EMPTY_STATE;
    // The handler must get the same values in every run, so objects become JSON now.
    const { answers, once } = JSON.parse(JSON.stringify(gathered)) as CallState; // Safe: the same members
    const request = toRequest(call, args);
    return {
      taskId: toBase64Url(ports.randomBytes(ID_BYTES)),
      server: this.host.name,
      tool: entry.name,
      principal: call.auth?.principal ?? null,
      request,
      policy: { onLostWorker: task.onLostWorker, maxLostWorkers: task.maxLostWorkers, resultTtlMs },
      status: "working",
      statusMessage: null,
      createdAt: now,
      updatedAt: now,
      ttlMs,
      pollIntervalMs: task.pollIntervalMs ?? this.settings.pollIntervalMs,
      // Leaves time to report that the task has expired.
      deleteAt: ttlMs === null ? null : now + ttlMs + resultTtlMs,
      run: 0,
      isRunning: false,
      runId: null,
      lostWorkers: 0,
      isCancelRequested: false,
      journal: { ...EMPTY_JOURNAL, answers, prepared: once },
      result: null,
      error: null,
      bytes: BASE_BYTES + jsonBytes([request, answers, once]),
    };
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

/** Number of random bytes in a task's ID, which must be impossible to guess. */
const ID_BYTES = 18;

/** Maximum length of an ID from a client. */
const MAX_ID = 128;

/** Creates the error for an ID that is unknown, has expired, or belongs to a different caller. */
function unknownTask(): McpError {
  return new McpError("INVALID_PARAMS", "Unknown task. It may have expired.");
}

function toRequest(call: Call, args: JsonObject): TaskRequest {
  const { revision, capabilities, clientInfo, logLevel } = call.incoming.caller;
  const { auth } = call;
  return {
    id: call.id,
    args,
    meta: keepIdempotencyKey(call, withoutEnvelope(call.meta)),
    auth: auth === undefined ? null : { ...auth, scopes: [...auth.scopes] },
    revision,
    capabilities,
    clientInfo: clientInfo ?? null,
    logLevel: logLevel ?? null,
    hasContext: call.context !== undefined,
  };
}

/** Removes the protocol's own keys from `_meta`. Keys such as a trace context stay. */
function withoutEnvelope(meta: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([key]) => !key.startsWith("io.modelcontextprotocol/") && key !== "progressToken",
    ),
  );
}
