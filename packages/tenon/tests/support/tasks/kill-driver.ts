/**
 * @fileoverview Creates tasks on a server that is killed again and again, answers their questions, and checks everything
 * that the server acknowledged.
 * @module tests/tenon/support/tasks/kill-driver
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { type DoomedServer, LostServerError } from "./kill-client.js";
import { createDirectorySealer, readTaskLog } from "./task-log.js";

/** Tools of the server, with the keys of their questions. */
export const TOOLS: Readonly<Record<string, readonly string[]>> = {
  "wait-retry": [],
  "wait-fail": [],
  "ask-retry": ["first", "second"],
  "ask-fail": ["first", "second"],
  "ask-together": ["first", "second"],
  steps: ["first"],
  endless: [],
};

/** Everything that the client knows about a task. */
export interface Tracked {
  readonly taskId: string;
  readonly id: string;
  readonly tool: string;
  /** Answers that were sent, by key. */
  readonly sent: Map<string, string[]>;
  /** Answers that the server acknowledged, by key. */
  readonly acknowledged: Map<string, string>;
  polls: number;
  last: JsonObject | undefined;
}

const FINAL: readonly unknown[] = ["completed", "failed", "cancelled"];

/** Returns true if a task has finished, as far as the client knows. */
export function isFinished({ last }: Tracked): boolean {
  return FINAL.includes(last?.["status"]);
}

/** Client whose server is killed. */
export class KillDriver {
  readonly tasks: Tracked[] = [];
  /** Tasks that were running when the server was killed, according to their records. */
  readonly lost = new Set<string>();
  /** Tasks that were in the step "pay" when the server was killed, according to their records. */
  readonly lostInStep = new Set<string>();
  readonly #random: () => number;
  #lastId = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Creates, polls, answers, and cancels tasks until the server is gone, or until all tasks have finished. */
  async drive(server: DoomedServer, maxOpen: number): Promise<void> {
    try {
      // Tasks that finished under an earlier process must not have changed.
      const finished = this.tasks.filter(isFinished);
      const sample = maxOpen === 0 ? finished : finished.filter(() => this.#random() < 0.1);
      await Promise.all(sample.map((task) => this.#poll(server, task)));
      for (;;) {
        const open = this.tasks.filter((task) => !isFinished(task));
        if (maxOpen === 0 && open.length === 0) return;
        const more = Array.from({ length: Math.max(0, maxOpen - open.length) }, () => this.#create(server));
        await Promise.all([...more, ...open.map((task) => this.#visit(server, task))]);
        await sleep(3);
      }
    } catch (error) {
      if (!(error instanceof LostServerError)) throw error;
    }
  }

  /** Reads the records that a killed server left behind. */
  async readRecords(directory: string): Promise<void> {
    const fail = (error: unknown) => {
      throw error;
    };
    const { tasks } = await readTaskLog(join(directory, "tasks.log"), fail, createDirectorySealer(directory));
    const records = new Map(tasks.map(({ record }) => [record.taskId, record]));
    for (const { taskId, isRunning, journal } of records.values()) {
      if (isRunning) this.lost.add(taskId);
      if (isRunning && journal.steps["pay"]?.state === "started") this.lostInStep.add(taskId);
    }
    for (const { taskId } of this.tasks)
      expect(records.has(taskId), `The created task ${taskId} is in the log.`).toBe(true);
  }

  async #create(server: DoomedServer): Promise<void> {
    const tools = Object.keys(TOOLS);
    const tool = tools[Math.floor(this.#random() * tools.length)] ?? "";
    const id = `t${this.#lastId++}`;
    const args = { id, ms: Math.floor(this.#random() * 60) };
    const { taskId } = await server.request("tools/call", { name: tool, arguments: args });
    const task = { id, tool, sent: new Map(), acknowledged: new Map(), polls: 0, last: undefined };
    this.tasks.push({ taskId: String(taskId), ...task });
  }

  /** Polls a task and reacts to its state. */
  async #visit(server: DoomedServer, task: Tracked): Promise<void> {
    const state = await this.#poll(server, task);
    task.polls++;
    if (task.tool === "endless" && task.polls > 5)
      await server.request("tasks/cancel", { taskId: task.taskId });
    if (state["status"] !== "input_required") return;
    const keys = Object.keys(state["inputRequests"] as JsonObject); // Safe: the server's result was checked
    for (const key of keys) {
      expect(task.acknowledged.has(key), `${task.id}: the key "${key}" is asked again.`).toBe(false);
      // One request per answer, so that some tasks wait with a part of their answers.
      if (this.#random() < 0.7) await this.#answer(server, task, key);
    }
  }

  async #answer(server: DoomedServer, task: Tracked, key: string): Promise<void> {
    const sent = task.sent.get(key) ?? [];
    const text = `${task.id}-${key}-${sent.length}`;
    task.sent.set(key, [...sent, text]);
    const inputResponses = {
      [key]: { action: "accept", content: { text } },
      other: { action: "accept", content: {} },
    };
    await server.request("tasks/update", { taskId: task.taskId, inputResponses });
    task.acknowledged.set(key, text);
  }

  /** Polls a task and checks that its state may follow the last one. */
  async #poll(server: DoomedServer, task: Tracked): Promise<JsonObject> {
    const { resultType: _, ...state } = await server.request("tasks/get", { taskId: task.taskId });
    const { last, id } = task;
    if (isFinished(task)) expect(state, `${id}: a finished task changed.`).toEqual(last);
    if (last !== undefined) {
      const [before, after] = [String(last["lastUpdatedAt"]), String(state["lastUpdatedAt"])];
      expect(after >= before, `${id}: \`lastUpdatedAt\` went back from ${before} to ${after}.`).toBe(true);
    }
    task.last = state;
    return state;
  }
}
