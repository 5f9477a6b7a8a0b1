/**
 * @fileoverview Typed calls of the Lua scripts.
 * @module redis/tasks/task-scripts
 */
import type { EngineLimits } from "tenon/tasks";
import type { Script } from "../connection/index.js";
import type { TaskJob } from "./job-queue.js";
import { CREATE, FINISH, START, TICK, WRITE } from "./lua.js";
import type { RedisCalls } from "./redis-calls.js";

/** Sealed record, and the values that the scripts need of it. */
export interface SealedTask {
  readonly taskId: string;
  readonly version: string;
  readonly sealed: string;
  readonly bytes: number;
  readonly deleteAt: number | null;
}

/** New task. */
export interface CreateArguments extends SealedTask {
  readonly owner: string;
  readonly job: string;
  /** Time in milliseconds after which a silent node has lost the task. Empty for the default. */
  readonly patienceMs: number | "";
}

/** New record for a task. `job` is empty if the task must not run. */
export interface WriteArguments extends SealedTask {
  readonly expectedVersion: string;
  readonly job: string;
  /** Pub/Sub channel of the task's watchers. */
  readonly channel: string;
}

/** Delivery of a job. `holder` names the delivery, and starts with the node. */
export interface Claim extends TaskJob {
  readonly node: string;
  readonly holder: string;
}

/** End of a delivery. `again` queues the task at once, and `later` keeps its job, which is delivered again. */
export type RunEnd = "done" | "again" | "later";

/** Outcome of a claim. */
export type ClaimOutcome =
  | { readonly kind: "drop" }
  /** `isPatient` is true if the task may stay busy for long, although its node is silent. */
  | { readonly kind: "busy"; readonly isPatient: boolean }
  | { readonly kind: "run"; readonly version: string; readonly sealed: string };

/** Heartbeat of a node. */
export interface Tick {
  readonly node: string;
  /** Position in the list of all tasks. */
  readonly cursor: string;
  /** Jobs that were added to the queue. */
  readonly added: readonly TaskJob[];
}

/** Scripts for the tasks of one server. */
export class TaskScripts {
  readonly #calls: RedisCalls;
  readonly #root: string;
  readonly #limits: EngineLimits;

  constructor(calls: RedisCalls, root: string, limits: EngineLimits) {
    this.#calls = calls;
    this.#root = root;
    this.#limits = limits;
  }

  /** Stores a new task. Returns the exceeded limit, or `added` if its job must be added to the queue. */
  async create(task: CreateArguments): Promise<string> {
    const { taskId, version, sealed, owner, job } = task;
    const { maxTasks, maxTasksPerPrincipal, maxTotalBytes } = this.#limits;
    const record = [version, sealed, toInteger(task.bytes), toInteger(task.deleteAt)];
    const limits = [maxTasks, maxTasksPerPrincipal, maxTotalBytes];
    return String(
      await this.#run(CREATE_SCRIPT, [taskId, ...record, owner, job, ...limits, task.patienceMs]),
    );
  }

  /** Returns the version and the sealed record of a task. */
  async read(taskId: string): Promise<readonly [string, string] | undefined> {
    const [version, sealed] = await this.#calls.run((client) =>
      client.hmget(`${this.#root}:task:${taskId}`, "v", "s"),
    );
    return typeof version === "string" && typeof sealed === "string" ? [version, sealed] : undefined;
  }

  /** Replaces a record. Returns the exceeded limit, `stale`, `written`, `held`, or `added` if its job must be added. */
  async write(task: WriteArguments): Promise<string> {
    const { taskId, expectedVersion, version, sealed, job, channel } = task;
    const record = [version, sealed, toInteger(task.bytes), toInteger(task.deleteAt)];
    const { maxTotalBytes } = this.#limits;
    const args = [taskId, expectedVersion, ...record, job, maxTotalBytes, channel];
    return String(await this.#run(WRITE_SCRIPT, args));
  }

  /** Claims a delivered job for this node. */
  async claim({ taskId, job, holder, node }: Claim): Promise<ClaimOutcome> {
    const [kind, version, sealed] = toTexts(await this.#run(START_SCRIPT, [taskId, job, holder, node]));
    if (kind === "run" && version !== undefined && sealed !== undefined) return { kind, version, sealed };
    return kind === "busy" ? { kind, isPatient: version !== "" } : { kind: "drop" };
  }

  /** Ends a delivery. Returns jobs that must be added to the queue. */
  async finish({ taskId, job, holder }: Claim, end: RunEnd, nextJob: string): Promise<readonly TaskJob[]> {
    return toJobs(toTexts(await this.#run(FINISH_SCRIPT, [taskId, job, holder, end, nextJob])));
  }

  /** Sends a heartbeat and cleans up. Returns the next cursor and jobs that must be added to the queue. */
  async tick({
    node,
    cursor,
    added,
  }: Tick): Promise<{ readonly cursor: string; readonly jobs: readonly TaskJob[] }> {
    const members = added.map(({ job, taskId }) => `${job} ${taskId}`);
    const [next = "0", ...jobs] = toTexts(await this.#run(TICK_SCRIPT, [node, cursor, ...members]));
    return { cursor: next, jobs: toJobs(jobs) };
  }

  /** Removes a node, so that its runs count as lost at once. */
  async leave(node: string): Promise<void> {
    await this.#calls.run((client) => client.hdel(`${this.#root}:nodes`, node));
  }

  /** Returns the number of stored tasks, and of those that wait for a slot of their principal. */
  async count(): Promise<{ readonly stored: number; readonly held: number }> {
    const [stored, held] = await this.#calls.run((client) =>
      Promise.all([client.zcard(`${this.#root}:tasks`), client.scard(`${this.#root}:held`)]),
    );
    return { stored, held };
  }

  #run(script: Script, args: readonly (string | number)[]): Promise<unknown> {
    return this.#calls.script(script, this.#root, [this.#limits.concurrencyPerPrincipal, ...args]);
  }
}

// Only new tasks are rejected when the memory of Redis is full. The growth of others is limited by `maxTotalBytes`.
const CREATE_SCRIPT: Script = { name: "tenonTaskCreate", keys: 1, lua: CREATE };
const WRITE_SCRIPT: Script = { name: "tenonTaskWrite", keys: 1, mode: "frees", lua: WRITE };
const START_SCRIPT: Script = { name: "tenonTaskStart", keys: 1, mode: "frees", lua: START };
const FINISH_SCRIPT: Script = { name: "tenonTaskFinish", keys: 1, mode: "frees", lua: FINISH };
const TICK_SCRIPT: Script = { name: "tenonTaskTick", keys: 1, mode: "frees", lua: TICK };

/** Converts a number to the text of an integer. The empty text stands for `null`. */
function toInteger(value: number | null): string {
  return value === null ? "" : Math.ceil(value).toFixed(0);
}

function toTexts(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** Converts alternating jobs and task IDs. */
function toJobs(texts: readonly string[]): readonly TaskJob[] {
  return Array.from({ length: Math.floor(texts.length / 2) }, (_, index) => ({
    job: texts[2 * index] ?? "",
    taskId: texts[2 * index + 1] ?? "",
  }));
}
