/**
 * @fileoverview Tasks that calls of the page run as. Their state comes from the results that the client reads.
 * @module cli/page/workbench/calls/tasks
 */
import type { JsonObject } from "@tenon/internal/json";
import { preciseNow } from "../../../clock.js";
import { CommandError } from "../../command-error.js";
import type { PageFeed } from "../../feed/page-feed.js";
import type { TaskSummary } from "../../protocol.js";
import type { CallRecord } from "../../record/call-record.js";
import { toLabel } from "../../record/limits.js";
import type { Connections } from "../connections/connections.js";
import type { Questions } from "../questions.js";

/** Parts that tasks use. */
export interface TaskParts {
  readonly feed: PageFeed;
  readonly connections: () => Connections;
  readonly questions: () => Questions;
}

/** Maximum number of tasks, and of characters in their texts. */
const MAX_TASKS = 500;
const MAX_TEXT = 1_000;

const STATUSES: readonly TaskSummary["status"][] = [
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
];

/** Statuses that do not change anymore. */
const FINAL: ReadonlySet<TaskSummary["status"]> = new Set(["completed", "failed", "cancelled"]);

/** Tasks of the page. */
export class Tasks {
  readonly #parts: TaskParts;
  /** Tasks by the ID of their call. */
  readonly #tasks = new Map<string, TaskSummary>();
  /** Times at which the tasks of calls were seen working, in milliseconds since 1970. */
  readonly #workingSince = new WeakMap<CallRecord, number>();

  constructor(parts: TaskParts) {
    this.#parts = parts;
  }

  /** Reads the state of a task from a result of its call. */
  take(record: CallRecord, method: string, result: JsonObject): void {
    const { taskId } = result;
    const isTask = method === "tools/call" ? result["resultType"] === "task" : method === "tasks/get";
    if (!isTask || typeof taskId !== "string" || taskId.length > MAX_TEXT) return;
    const status = STATUSES.find((one) => one === result["status"]) ?? "working";
    if (record.taskId !== taskId) record.setTask(taskId);
    this.#measure(record, status);
    const { name } = record.toSummary();
    this.#publish({
      id: taskId,
      callId: record.id,
      tool: name,
      status,
      statusMessage: textOf(result["statusMessage"]),
      createdAt: textOf(result["createdAt"]),
      updatedAt: textOf(result["lastUpdatedAt"]),
      questionIds: this.#parts.questions().idsOf(record),
    });
  }

  /** Ends the last phase of a call that has run as a task. */
  onCallEnding(record: CallRecord): void {
    this.#measure(record, "completed");
  }

  /** Adds the time in which the task has worked as a phase of its call. The time of questions is a phase already. */
  #measure(record: CallRecord, status: TaskSummary["status"]): void {
    const now = preciseNow();
    const start = this.#workingSince.get(record);
    if (start !== undefined) record.addPhases([{ name: "handler", start, end: now }]);
    if (status === "working") this.#workingSince.set(record, now);
    else this.#workingSince.delete(record);
  }

  /** Updates the open questions of a call's task. */
  update(record: CallRecord): void {
    const task = this.#tasks.get(record.id);
    if (task !== undefined) this.#publish({ ...task, questionIds: this.#parts.questions().idsOf(record) });
  }

  /**
   * Cancels a task. Returns the ID of its call.
   *
   * @throws {CommandError} if the page does not know it, or the server rejects it
   */
  async cancel(id: string): Promise<string> {
    const known = [...this.#tasks].find(([, task]) => task.id === id);
    if (known === undefined) throw new CommandError(404, "This task is not known.");
    await this.#parts.connections().get("modern").client.request("tasks/cancel", { taskId: id });
    const [callId] = known;
    const task = this.#tasks.get(callId);
    if (task !== undefined && !FINAL.has(task.status))
      this.#publish({ ...task, status: "cancelled", questionIds: [] });
    return callId;
  }

  #publish(task: TaskSummary): void {
    const key = task.callId ?? task.id;
    this.#tasks.delete(key);
    this.#tasks.set(key, task);
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > MAX_TASKS && oldest !== undefined) this.#tasks.delete(oldest);
    this.#parts.feed.publish({ type: "task", task });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? toLabel(value, MAX_TEXT) : undefined;
}
