/**
 * @fileoverview Parts that all conversations of a server share: stored tasks, tasks in memory, tools, and runs.
 * @module agent/conversation/agent-core
 */
import { pickOptions } from "@tenon/internal/options/define-options";
import type { Logger } from "tenon";
import type { AgentHooks } from "../hooks/hooks.js";
import type { Frame } from "../messages/frames.js";
import type { ModelMessage, ModelPort } from "../models/model-port.js";
import type { TaskHeader } from "../storage/task-entry.js";
import type { TaskVisibility } from "../storage/list/task-list.js";
import { type Removal, STORE_OPTIONS } from "../storage/store-options.js";
import { TaskLocks } from "../storage/task-locks.js";
import { TaskStore } from "../storage/task-store.js";
import { UsageLedger } from "../storage/usage-ledger.js";
import type { ToolDefinition } from "../tools/define-tool.js";
import { createDecideAccess, type DecideAccess } from "../users/access.js";
import type { AgentUser, TaskAccess } from "../users/user.js";
import { createToolbox, type Toolbox } from "./answer/toolbox.js";
import {
  askFollowupQuestion,
  completionResult,
  createAssignTasks,
  createReadResult,
} from "./context/built-in-tools.js";
import { Watchers } from "./context/watchers.js";
import type { ConversationSettings } from "./options.js";
import { cancelApproval } from "./calls/prepare-call.js";
import { cancelApprovals } from "./tasks/decide-approval.js";
import { LiveTasks } from "./tasks/live-tasks.js";
import { notFound, RejectedError } from "./tasks/rejected-error.js";
import { createRunSubtasks } from "./tasks/run-subtasks.js";
import type { Ending } from "./tasks/run-task.js";
import { type RunOptions, TaskRunner } from "./tasks/task-runner.js";
import type { Task } from "./tasks/task.js";
import { sizeOfInput, toTitle, toUserEntry, type UserInput } from "./user-input.js";

/** Dependencies for `AgentCore`. */
export interface AgentCoreParts {
  readonly model: ModelPort | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly storagePath: string;
  readonly settings: ConversationSettings;
  readonly hooks?: AgentHooks | undefined;
  /** Validates a message that a tool posts. Returns `undefined` if the message is invalid. */
  readonly toPosted: (message: object) => Frame | undefined;
  readonly now?: (() => number) | undefined;
  /** Called after a task was removed. */
  readonly onRemoved: (taskId: string, how: Removal) => void;
}

/** Settings that are known when the server starts. */
export interface StartSettings {
  readonly logger: Logger | undefined;
  readonly decideAccess: DecideAccess;
}

/** Request to continue a task, or to start one with a user's input. */
export interface TaskRequest {
  readonly taskId: string;
  /** Input of the user. `undefined` resumes the task. */
  readonly input: UserInput | undefined;
  readonly user: AgentUser | undefined;
}

/** Shared parts of all conversations. */
export class AgentCore {
  /** Logger that forwards to the logger of the current start. */
  readonly logger: Logger = {
    debug: (line) => this.#currentLogger?.debug(line),
    info: (line) => this.#currentLogger?.info(line),
    warn: (line) => this.#currentLogger?.warn(line),
    error: (line) => this.#currentLogger?.error(line),
  };
  readonly now: () => number;
  readonly store: TaskStore;
  /** Runs work for the same task in order. */
  readonly locks = new TaskLocks();
  readonly watchers = new Watchers({
    onLeft: (taskId) => this.tasks.peek(taskId)?.detach(this.#settings.grace),
    isRunning: (taskId) => this.tasks.peek(taskId)?.isRunning === true,
  });
  readonly tasks: LiveTasks;
  readonly runner: TaskRunner;
  readonly #settings: ConversationSettings;
  readonly #ledger: UsageLedger;
  /** Two toolboxes, because subtasks cannot ask the user questions or start further subtasks. */
  readonly #toolboxes: { readonly task: Toolbox; readonly subtask: Toolbox };
  #start: StartSettings = { logger: undefined, decideAccess: createDecideAccess() };

  constructor(parts: AgentCoreParts) {
    const { model, storagePath: folder, settings, hooks = {}, toPosted, now = Date.now, onRemoved } = parts;
    this.now = now;
    this.contextWindow = model?.contextWindow;
    this.#settings = settings;
    const { logger } = this;
    const isInUse = (taskId: string) => this.locks.isHeld(taskId);
    this.store = new TaskStore({
      ...pickOptions(STORE_OPTIONS, settings),
      folder,
      logger,
      now,
      onRemoved,
      isInUse: (taskId) => isInUse(taskId) || this.tasks.peek(taskId)?.isRunning === true,
    });
    this.tasks = new LiveTasks({ store: this.store, watchers: this.watchers, now, isInUse });
    this.#ledger = new UsageLedger({ folder, logger, now });
    this.runner = new TaskRunner({
      model,
      settings,
      hooks,
      logger,
      toPosted,
      ledger: this.#ledger,
      storeResult: (taskId) => (text) => this.store.results.write(taskId, text),
      // Subtasks run instead of their parent, which waits for them.
      countRunning: () => this.tasks.running.filter(({ transcript }) => !transcript.isSubtask).length,
      isWatched: (taskId) => this.watchers.has(taskId),
    });
    this.#toolboxes = this.#createToolboxes(parts);
  }

  /** System prompt for top-level tasks. */
  get systemPrompt(): string {
    return this.#toolboxes.task.systemPrompt;
  }

  /** Number of tokens that the model accepts, if it is known. */
  readonly contextWindow: number | undefined;

  /** True if the model receives tools and schemas in the provider's own format. */
  get isNative(): boolean {
    return this.#toolboxes.task.modelTools.length > 0;
  }

  /** Sets the logger and the access rule. Called when the server starts, because they are options of `start`. */
  configure(start: StartSettings): void {
    this.#start = start;
  }

  /** Returns a user's access to a task, or `undefined` if the task does not exist or the user cannot see it. */
  async accessTo(taskId: string, user: AgentUser | undefined): Promise<TaskAccess | undefined> {
    const header = await this.store.headerOf(taskId);
    if (header === undefined) return undefined;
    let top = header;
    while (top.parentTaskId !== undefined) {
      const parent = await this.store.headerOf(top.parentTaskId);
      if (parent === undefined) break;
      top = parent;
    }
    return this.#start.decideAccess(user, { taskId: top.taskId, owner: top.owner });
  }

  get #currentLogger(): Logger | undefined {
    return this.#start.logger ?? this.#settings.logger;
  }

  /** Returns the filter for the lists of a user. A server without users shows everything. */
  visibilityFor(user: AgentUser | undefined): TaskVisibility | undefined {
    if (user === undefined) return undefined;
    return ({ taskId, owner }) => this.#start.decideAccess(user, { taskId, owner }) !== undefined;
  }

  /**
   * Finds a task that a user may change. Returns `undefined` if the task does not exist, so that it can be created.
   *
   * @throws {RejectedError} if the user may not change the task
   */
  async findToWrite(taskId: string, user: AgentUser | undefined): Promise<Task | undefined> {
    const access = await this.accessTo(taskId, user);
    if (access === "watch" || (access !== undefined && user?.canWrite === false))
      throw new RejectedError(WATCH_ONLY);
    if (access !== undefined) return this.tasks.find(taskId);
    // The ID belongs to a task that the user cannot see, or the user cannot create tasks.
    if (user?.canWrite === false || (await this.store.has(taskId))) throw notFound(taskId);
    return undefined;
  }

  /** Stores a user's input, or prepares a task to continue without one. A new task is created with its first message. */
  async prepare(known: Task | undefined, { taskId, input, user }: TaskRequest): Promise<Task> {
    if (input === undefined) {
      if (known === undefined) throw notFound(taskId);
      await resume(known);
      return known;
    }
    const updateTime = known?.transcript.nextTime() ?? this.now();
    const entry = toUserEntry(input, { taskId, updateTime });
    // The rest of the space is for the responses.
    const room = this.#settings.maxTaskBytes * INPUT_SHARE;
    if ((known?.transcript.bytes ?? 0) + sizeOfInput(input) > room)
      throw new RejectedError(
        `The message does not fit into the task (limit: ${Math.floor(room)} bytes). ${ADVICE}`,
      );
    if (known === undefined) {
      const header: TaskHeader = { taskId, title: toTitle(input.message), owner: user?.id };
      return this.tasks.create(header, entry);
    }
    const { openApprovals } = known.transcript.facts;
    await known.transcript.keep(entry);
    for (const asked of openApprovals) await cancelApproval(asked, known.transcript);
    return known;
  }

  /** Maximum number of model responses per user message. */
  get maxSteps(): number {
    return this.#settings.maxSteps;
  }

  /** Interrupts all running tasks. Resolves when they have stopped and everything is on disk. */
  async stop(): Promise<void> {
    await Promise.all(this.tasks.running.map((task) => task.interrupt()));
    await this.#ledger.close();
  }

  /** Starts a run that a user caused. Resolves with the reason it ended. */
  startRun(task: Task, options: Omit<RunOptions, "toolbox">): Promise<Ending> {
    const { task: whole, subtask } = this.#toolboxes;
    const toolbox = task.transcript.isSubtask ? subtask : whole;
    return this.runner.start(task, { ...options, toolbox });
  }

  #createToolboxes({ tools, settings, model }: AgentCoreParts): { task: Toolbox; subtask: Toolbox } {
    // A page is smaller than the maximum result, so that it is not stored again.
    const limit = settings.maxResult - PAGE_MARGIN;
    const readResult = createReadResult((taskId, page) =>
      this.store.results.read(taskId, { ...page, limit }),
    );
    const shared = {
      registered: tools,
      instructions: settings.instructions,
      toolCalls: model?.toolCalls ?? "xml",
    };
    const assignTasks = createAssignTasks(this.#createRunSubtasks());
    const builtIn = [completionResult, askFollowupQuestion, readResult];
    return {
      task: createToolbox({ ...shared, builtIn, assignTasks }),
      subtask: createToolbox({ ...shared, builtIn: [completionResult, readResult] }),
    };
  }

  #createRunSubtasks() {
    return createRunSubtasks({
      find: (taskId) => this.tasks.peek(taskId),
      run: ({ taskId, parent, text, user }, signal) =>
        this.locks
          .run([taskId], async () => {
            const { taskId: parentTaskId, owner } = parent;
            const header: TaskHeader = { taskId, parentTaskId, title: toTitle(text), owner };
            const entry = toUserEntry({ message: text }, { taskId, updateTime: this.now() });
            const task = await this.tasks.create(header, entry);
            const outer = { signal, transcript: parent };
            // `ended` is not awaited here, so that a client can load the subtask while it runs.
            return {
              task,
              ended: this.runner.start(task, { toolbox: this.#toolboxes.subtask, user, outer }),
            };
          })
          .then(async ({ task, ended }) => ({ ending: await ended, transcript: task.transcript })),
    });
  }
}

const WATCH_ONLY = "You can watch this task, but you cannot change it.";
const PAGE_MARGIN = 200;
/** Part of a task's maximum size that user messages can fill. */
const INPUT_SHARE = 0.75;
const ADVICE = "Start a new task, or send smaller files.";

/** Prepares a task that was interrupted, failed, or reached a limit to continue. @throws {RejectedError} in any other state */
async function resume({ transcript }: Task): Promise<void> {
  const { status, messages, openCalls, facts } = transcript;
  if (facts.openApprovals.length > 0 && status === "waiting")
    throw new RejectedError("The task waits for approvals. Decide about them, or send a new message.");
  // A subtask that a crash interrupted. Its calls are asked about again.
  await cancelApprovals(transcript);
  if (status !== "aborted" && status !== "error" && status !== "waiting")
    throw new RejectedError(
      "The task cannot be resumed: it was not interrupted and did not fail. Send a new message.",
    );
  // After its own message, the model requires a user message to continue, unless calls are still open.
  const isModelsTurn = messages.at(-1)?.role !== "assistant" || openCalls.length > 0;
  const model: ModelMessage = { role: "user", content: "Continue where you left off." };
  await transcript.keep({ ...(isModelsTurn ? {} : { model }), status: "streaming" });
}
