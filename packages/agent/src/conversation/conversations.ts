/**
 * @fileoverview Handles user messages: finds or creates the task, stores the message, and runs the model.
 * @module agent/conversations
 */
import { randomUUID } from "node:crypto";
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { Logger } from "tenon";
import { clean, safeReport } from "@tenon/internal/security/safe-text";
import type { ServerMessage, UserMessage } from "../messages/built-in-messages.js";
import { askFollowupQuestion, completionResult, createAssignTasks } from "./context/built-in-tools.js";
import { KeyedQueue } from "./tasks/keyed-queue.js";
import { LiveTasks } from "./tasks/live-tasks.js";
import type { ConversationSettings } from "./options.js";
import { createRunSubtasks } from "./tasks/run-subtasks.js";
import { runTask } from "./tasks/run-task.js";
import type { Task } from "./tasks/task.js";
import { createToolbox, type Toolbox } from "./answer/toolbox.js";
import { type Client, Watchers } from "./context/watchers.js";
import type { ToolDefinition } from "../tools/define-tool.js";
import { type Frame, toFrame } from "../messages/frames.js";
import type { ModelMessage, ModelPort } from "../models/model-port.js";
import { StorageError } from "../storage/storage-error.js";
import type { TaskEntry, TaskHeader } from "../storage/task-entry.js";
import { TaskStore } from "../storage/task-store.js";

/** Dependencies for `Conversations`. */
export interface ConversationsParts {
  readonly model: ModelPort | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly storagePath: string;
  readonly settings: ConversationSettings;
  /** Validates a message that a tool posts. Returns `undefined` if the message is invalid. */
  readonly toPosted: (message: object) => Frame | undefined;
  readonly now?: () => number;
}

/** Thrown to reject a client's request. The message is sent to the client. */
class Refusal extends Error {}

/** Runs the conversations on a server. */
export class Conversations {
  readonly #parts: ConversationsParts;
  readonly #now: () => number;
  readonly #store: TaskStore;
  readonly #queue = new KeyedQueue();
  readonly #watchers = new Watchers({
    onLeft: (taskId) => this.#leave(taskId),
    isRunning: (taskId) => this.#tasks.peek(taskId)?.isRunning === true,
  });
  readonly #tasks: LiveTasks;
  /** Two toolboxes, because subtasks cannot ask the user questions or start further subtasks. */
  readonly #toolboxes: { readonly task: Toolbox; readonly subtask: Toolbox };
  #logger: Logger | undefined;
  /** Number of runs that are about to start. */
  #beginning = 0;

  constructor(parts: ConversationsParts) {
    const { tools, model, storagePath, settings, now = Date.now } = parts;
    this.#parts = parts;
    this.#now = now;
    const logger = this.#createLogger();
    this.#store = new TaskStore({ ...settings, folder: storagePath, logger, now });
    const isInUse = (taskId: string) => this.#queue.has(taskId);
    this.#tasks = new LiveTasks({ store: this.#store, watchers: this.#watchers, now, isInUse });
    const assignTasks = createAssignTasks(this.#createRunSubtasks());
    const shared = {
      registered: tools,
      instructions: settings.instructions,
      toolCalls: model?.toolCalls ?? "xml",
    };
    this.#toolboxes = {
      task: createToolbox({ ...shared, builtIn: [completionResult, askFollowupQuestion], assignTasks }),
      subtask: createToolbox({ ...shared, builtIn: [completionResult] }),
    };
  }

  /** System prompt for top-level tasks. */
  get systemPrompt(): string {
    return this.#toolboxes.task.systemPrompt;
  }

  /** Sets the logger. Called when the server starts, because the logger is an option of `start`. */
  logTo(logger: Logger | undefined): void {
    this.#logger = logger;
  }

  /** Adds a connected client and sends it the list of tasks. */
  async open(client: Client): Promise<void> {
    this.#watchers.add(client);
    send(client, { type: "connected", data: { message: "Connected", updateTime: this.#now() } });
    await this.#sendHistories(client);
  }

  /** Removes a disconnected client. Tasks that no other client watches stop after the grace period. */
  close(client: Client): void {
    this.#watchers.remove(client);
  }

  /**
   * Handles a validated message from a client. Resolves when the message is acknowledged. The run continues in the
   * background.
   */
  async handle(message: UserMessage, client: Client): Promise<void> {
    const taskId = message.data.taskId || randomUUID();
    const updateTime = this.#now();
    const toAck = (status: "acked" | "failed", time = updateTime): ServerMessage => ({
      type: "ack",
      data: { taskId, targetMessage: message, status, updateTime: time },
    });
    const ack: Ack = (time) => toAck("acked", time);
    try {
      await this.#queue.run(taskId, () => this.#answer(message, { taskId, client, ack }));
    } catch (error) {
      const isMeant = error instanceof Refusal || error instanceof StorageError;
      if (!(error instanceof Refusal)) this.#logger?.error(`agent: task ${taskId}: ${safeReport(error)}`);
      send(client, toAck("failed"));
      const text = isMeant ? error.message : "Could not handle the message because of an internal error.";
      send(client, { type: "error", data: { message: text, taskId, updateTime } });
    }
  }

  /** Interrupts all running tasks. Resolves when they have stopped. */
  async stop(): Promise<void> {
    await Promise.all(this.#tasks.running.map((task) => task.interrupt()));
  }

  async #answer(
    message: UserMessage,
    { taskId, client, ack }: { taskId: string; client: Client; ack: Ack },
  ): Promise<void> {
    const task = await this.#tasks.find(taskId);
    if (message.type === "userSendMessage") {
      await this.#take(task, { taskId, client, ack, text: message.data.message });
      return;
    }
    if (task === undefined) throw new Refusal(`Task "${taskId}" does not exist.`);
    if (message.type === "loadTask") {
      send(client, ack());
      this.#watch(task, client);
      send(client, task.transcript.history);
    } else if (message.type === "interrupt") {
      if (!task.isRunning) throw new Refusal("The task is not running, so it cannot be interrupted.");
      send(client, ack());
      await task.interrupt();
    } else {
      await this.#begin(task, async () => {
        await resume(task);
        this.#watch(task, client);
        task.transcript.send(ack());
        void this.#run(task);
      });
    }
  }

  async #take(
    known: Task | undefined,
    { taskId, client, ack, text }: { taskId: string; client: Client; ack: Ack; text: string },
  ): Promise<void> {
    await this.#begin(known, async () => {
      const { task, updateTime } = await this.#keep(known, { taskId, title: toTitle(text) }, text);
      this.#watch(task, client);
      task.transcript.send(ack(updateTime));
      if (known === undefined) await this.#sendHistories(client);
      void this.#run(task);
    });
  }

  /** Stores a user message. A new task is created atomically with its first message. */
  async #keep(known: Task | undefined, header: TaskHeader, message: string): Promise<KeptMessage> {
    const { taskId } = header;
    const updateTime = known?.transcript.nextTime() ?? this.#now();
    const entry: TaskEntry = {
      shown: { type: "userSendMessage", data: { message, taskId, updateTime } },
      model: { role: "user", content: message },
      status: "streaming",
    };
    if (known === undefined) return { task: await this.#tasks.create(header, entry), updateTime };
    await known.transcript.keep(entry);
    return { task: known, updateTime };
  }

  /** Starts a run. @throws {Refusal} if the task is already running, or too many tasks are running */
  async #begin(task: Task | undefined, start: () => Promise<void>): Promise<void> {
    this.#assertFree(task);
    this.#beginning++;
    try {
      await start();
    } finally {
      this.#beginning--;
    }
  }

  #assertFree(task: Task | undefined): void {
    if (this.#parts.model === undefined) throw new Refusal(NO_MODEL);
    if (task?.isRunning === true)
      throw new Refusal("The task is already running. Interrupt it before you send another message.");
    const { maxRunning } = this.#parts.settings;
    if (this.#tasks.running.length + this.#beginning >= maxRunning) {
      throw new Refusal(`Too many running tasks (limit: ${maxRunning}). Try again when one finishes.`);
    }
  }

  #run(task: Task, toolbox = this.#toolboxes.task, signal?: AbortSignal) {
    const { model, settings, toPosted } = this.#parts;
    if (model === undefined) throw new Refusal(NO_MODEL);
    const { transcript } = task;
    transcript.settle("streaming");
    const parts = {
      ...settings,
      model,
      transcript,
      toolbox,
      toPosted,
      logger: this.#logger,
      restartDelay: 1_000,
    };
    const run = task.start((inner) => runTask(parts, inner), signal);
    // The client may have disconnected in the meantime.
    if (signal === undefined && !this.#watchers.has(transcript.taskId)) task.detach(settings.grace);
    return run;
  }

  #createRunSubtasks() {
    return createRunSubtasks({
      find: (taskId) => this.#tasks.peek(taskId),
      run: ({ taskId, parentTaskId, text }, signal) =>
        this.#queue
          .run(taskId, async () => {
            const header: TaskHeader = { taskId, parentTaskId, title: toTitle(text) };
            const { task } = await this.#keep(undefined, header, text);
            // `ended` is not awaited here, so that a client can load the subtask while it runs.
            return { task, ended: this.#run(task, this.#toolboxes.subtask, signal) };
          })
          .then(async ({ task, ended }) => ({ ending: await ended, transcript: task.transcript })),
    });
  }

  #watch(task: Task, client: Client): void {
    if (this.#watchers.watch(task.transcript.taskId, client)) task.reattach();
  }

  #leave(taskId: string): void {
    this.#tasks.peek(taskId)?.detach(this.#parts.settings.grace);
  }

  async #sendHistories(client: Client): Promise<void> {
    const tasks = await this.#store.list(MAX_LISTED).catch((error: unknown) => {
      this.#logger?.error(`agent: could not list the tasks: ${safeReport(error)}`);
      return [];
    });
    const sessionHistories = tasks.map(({ taskId, title, updatedAt }) => ({
      taskId,
      title,
      updatedAt: new Date(updatedAt).toISOString(),
    }));
    send(client, { type: "sessionHistories", data: { sessionHistories } });
  }

  /** Creates a logger that forwards to the current logger, which is set later. */
  #createLogger(): Logger {
    const to = (level: keyof Logger) => (line: string) => this.#logger?.[level](line);
    return { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error") };
  }
}

const NO_MODEL = "No model is configured. Set one with `AmigoServerBuilder.model`.";
const MAX_LISTED = 100;
const MAX_TITLE = 80;

function send(client: Client, message: ServerMessage): void {
  client.sendBytes(encodeUtf8(toFrame(message)));
}

/** Creates the acknowledgment for a message. `updateTime` identifies the message. */
type Ack = (updateTime?: number) => ServerMessage;

/** The task of a stored message, and the time that identifies the message. */
interface KeptMessage {
  readonly task: Task;
  readonly updateTime: number;
}

/** Prepares an interrupted or failed task to continue. @throws {Refusal} if the task is in any other state */
async function resume({ transcript }: Task): Promise<void> {
  const { status, messages } = transcript;
  if (status !== "aborted" && status !== "error")
    throw new Refusal(
      "The task cannot be resumed: it was not interrupted and did not fail. Send a new message.",
    );
  // After its own message, the model requires a user message to continue.
  const isModelsTurn = messages.at(-1)?.role !== "assistant";
  const model: ModelMessage = { role: "user", content: "Continue where you left off." };
  await transcript.keep({ ...(isModelsTurn ? {} : { model }), status: "streaming" });
}

/** Returns the first non-blank line, truncated to 80 characters. */
function toTitle(text: string): string {
  const [line = ""] = text
    .trimStart()
    .slice(0, 4 * MAX_TITLE)
    .split("\n");
  // Don't split a surrogate pair.
  return (
    clean(line)
      .slice(0, MAX_TITLE)
      .replace(/[\ud800-\udbff]$/, "")
      .trim() || "Untitled"
  );
}
