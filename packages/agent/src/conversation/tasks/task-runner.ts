/**
 * @fileoverview Starts runs: of tasks, of their subtasks, and again when users have decided about waiting calls.
 * @module agent/conversation/tasks/task-runner
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Logger } from "tenon";
import type { AgentHooks } from "../../hooks/hooks.js";
import type { Frame } from "../../messages/frames.js";
import type { ModelPort } from "../../models/model-port.js";
import type { AgentUser } from "../../users/user.js";
import type { Toolbox } from "../answer/toolbox.js";
import type { StoreResult } from "../calls/describe-result.js";
import type { Transcript } from "../context/transcript.js";
import type { ConversationSettings } from "../options.js";
import { Meter, type UsageByUser } from "./meter.js";
import { RejectedError } from "./rejected-error.js";
import { Reservations } from "./reservations.js";
import { type Ending, runTask } from "./run-task.js";
import type { Task } from "./task.js";

/** Dependencies for `TaskRunner`. */
export interface TaskRunnerParts {
  readonly model: ModelPort | undefined;
  readonly settings: ConversationSettings;
  readonly hooks: AgentHooks;
  readonly logger: Logger;
  readonly ledger: UsageByUser;
  readonly toPosted: (message: object) => Frame | undefined;
  readonly storeResult: (taskId: string) => StoreResult;
  /** Returns the number of running tasks. */
  readonly countRunning: () => number;
  /** Returns true if a client watches a task. */
  readonly isWatched: (taskId: string) => boolean;
}

/** Options for a run. */
export interface RunOptions {
  readonly toolbox: Toolbox;
  /** User whose run it is: the one who sent the message. Decisions about approvals do not change it. */
  readonly user: AgentUser | undefined;
  /** JSON Schema for the model's final response. */
  readonly responseSchema?: JsonObject | undefined;
  /** Run that a subtask belongs to. */
  readonly outer?: { readonly signal: AbortSignal; readonly transcript: Transcript } | undefined;
  /** True if the run continues without clients. */
  readonly isUnattended?: boolean | undefined;
}

/** Request for a run: its task, unless the task is new, and the user whose run it is. */
export interface RunRequest {
  readonly task: Task | undefined;
  readonly user: AgentUser | undefined;
}

/** Starts runs, within the limits on running tasks. */
export class TaskRunner {
  readonly #parts: TaskRunnerParts;
  /** Number of runs that are about to start. */
  #beginning = 0;
  /** Number of runs that are running or about to start, by user. */
  readonly #byUser = new Map<string, number>();
  /** Meters of the current runs, by task. */
  readonly #meters = new Map<string, Meter>();
  readonly #reservations = new Reservations();

  constructor(parts: TaskRunnerParts) {
    this.#parts = parts;
  }

  /**
   * Reserves a run while `start` prepares and starts it.
   *
   * @throws {RejectedError} if the task is already running, or too many tasks are running
   */
  async begin<T>(run: RunRequest, start: () => Promise<T>): Promise<T> {
    this.#assertFree(run);
    this.#beginning++;
    this.#count(run.user, 1);
    try {
      return await start();
    } finally {
      this.#beginning--;
      this.#count(run.user, -1);
    }
  }

  /** Starts a run. Resolves with the reason it ended. Never rejects. */
  start(task: Task, options: RunOptions): Promise<Ending> {
    const { model, settings, hooks, logger, ledger, toPosted, storeResult, isWatched } = this.#parts;
    if (model === undefined) throw new RejectedError(NO_MODEL);
    const { toolbox, user, responseSchema, outer } = options;
    const { transcript } = task;
    const { taskId } = transcript;
    transcript.settle("streaming");
    const { budgets } = settings;
    const { contextWindow } = model;
    const maxContext = Math.min(settings.maxContext, (contextWindow ?? Infinity) * CHARACTERS_PER_TOKEN);
    const meter = new Meter({
      transcript,
      user,
      budgets,
      ledger,
      contextWindow,
      reservations: this.#reservations,
      requestTokens: Math.ceil(maxContext / CHARACTERS_PER_TOKEN),
      outer: outer && this.#meters.get(outer.transcript.taskId),
    });
    this.#meters.set(taskId, meter);
    const span = settings.telemetry.startRun({
      taskId,
      agentName: settings.name,
      userId: user?.id,
      model: model.modelName,
      provider: model.provider,
    });
    const parts = {
      ...settings,
      model,
      hooks,
      logger,
      toPosted,
      transcript,
      toolbox,
      user,
      responseSchema,
      span,
      maxContext,
      parent: outer?.transcript,
      storeResult: storeResult(taskId),
      meter,
      restartDelay: RESTART_DELAY_MS,
    };
    const run = task.start((signal) => span.run(() => runTask(parts, signal)), outer?.signal);
    // The client may have disconnected in the meantime.
    const isAttended = outer !== undefined || options.isUnattended === true || isWatched(taskId);
    if (!isAttended) task.detach(settings.grace);
    this.#count(user, 1);
    return run.then((ending) => {
      this.#count(user, -1);
      this.#meters.delete(taskId);
      return this.#continue(ending, task, options);
    });
  }

  /** Continues a run whose last call was decided while the run ended. */
  #continue(ending: Ending, task: Task, options: RunOptions): Ending | Promise<Ending> {
    const isDecided = ending === "approval" && task.transcript.facts.openApprovals.length === 0;
    return isDecided && !task.isRunning ? this.start(task, options) : ending;
  }

  #count(user: AgentUser | undefined, change: 1 | -1): void {
    if (user === undefined) return;
    const count = (this.#byUser.get(user.id) ?? 0) + change;
    if (count > 0) this.#byUser.set(user.id, count);
    else this.#byUser.delete(user.id);
  }

  #assertFree({ task, user }: RunRequest): void {
    if (this.#parts.model === undefined) throw new RejectedError(NO_MODEL);
    if (task?.isRunning === true)
      throw new RejectedError("The task is already running. Interrupt it before you send another message.");
    const { maxRunning, maxRunningPerUser } = this.#parts.settings;
    if (user !== undefined && (this.#byUser.get(user.id) ?? 0) >= maxRunningPerUser)
      throw new RejectedError(
        `You have too many running tasks (limit: ${maxRunningPerUser}). Try again when one finishes.`,
      );
    if (this.#parts.countRunning() + this.#beginning >= maxRunning) {
      throw new RejectedError(`Too many running tasks (limit: ${maxRunning}). Try again when one finishes.`);
    }
  }
}

const NO_MODEL = "No model is configured. Set one with `AgentServerBuilder.model`.";
/** Characters that fit into a token at least, for most texts. */
const CHARACTERS_PER_TOKEN = 3;

const RESTART_DELAY_MS = 1_000;
