/**
 * @fileoverview Runs a history of the property test: a client sends requests to nodes that are lost and replaced, while
 * handlers wait for gates. Checks every response.
 * @module tools/task-histories/world
 */
import assert from "node:assert/strict";
import type { JsonObject } from "@tenon/internal/json";
import { isJsonObject } from "@tenon/internal/json";
import { checkOutcome, checkState, isFinished, type Known } from "./checks.js";
import type { Command } from "./commands.js";
import { type Cluster, type Node, WorldClock } from "./nodes.js";
import { REJECTED, type Script, type Stage } from "./script.js";

/** Runs a history and checks that all rules hold. */
export async function runHistory(
  createCluster: (clock: WorldClock) => Cluster,
  commands: readonly Command[],
): Promise<void> {
  const world = new World(createCluster);
  await world.start();
  for (const command of commands) await world.run(command);
  await world.end();
}

/** Rejection of a request whose node was lost. */
class LostNodeError extends Error {}

class World {
  readonly #clock = new WorldClock();
  readonly #cluster: Cluster;
  readonly #tasks: Known[] = [];
  readonly #gates = new Set<{ readonly id: string; readonly node: Node; readonly open: () => void }>();
  readonly #steps = new Map<string, number>();
  readonly #losses = { counts: new Map<string, number>(), inStep: new Set<string>() };
  readonly #inFlight = new Set<Promise<void>>();
  readonly #lostNodes = new Map<Node, () => void>();
  #failure: unknown;
  #node: Node | undefined;
  #lastId = 0;
  #isEnding = false;

  constructor(createCluster: (clock: WorldClock) => Cluster) {
    this.#cluster = createCluster(this.#clock);
  }

  async start(): Promise<void> {
    this.#node = await this.#cluster.start((node) => this.#stageOf(node));
  }

  async run(command: Command): Promise<void> {
    const { turns } = command;
    const task = "task" in command ? this.#tasks[command.task % this.#tasks.length] : undefined;
    switch (command.kind) {
      case "create":
        this.#fire(this.#create(command.tool, { ...command.script, id: `t${this.#lastId++}` }));
        break;
      case "advance":
        this.#clock.advance(command.ms);
        break;
      case "lose":
        if (command.rush !== null) await this.#rush(command.rush.turns);
        await this.#lose(command.kept);
        break;
      case "poll":
        if (task !== undefined) this.#fire(this.#poll(task));
        break;
      case "answer":
        if (task !== undefined) this.#fire(this.#answer(task, command));
        break;
      case "cancel":
        if (task !== undefined) this.#fire(this.#cancel(task));
        break;
      case "open":
        for (const gate of this.#gates) if (gate.id === task?.script.id) gate.open();
    }
    await takeTurns(turns);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Lets all tasks finish, and checks their outcomes. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const gate of this.#gates) gate.open();
    const everything = { task: 0, mode: "valid", keys: 0b111, turns: 0 } as const;
    const open = () => this.#tasks.filter((task) => !isFinished(task) && !task.isGone);
    for (let round = 0; round < MAX_ROUNDS && (open().length > 0 || this.#inFlight.size > 0); round++) {
      for (const task of open()) {
        this.#fire(this.#poll(task));
        if (task.last["status"] === "input_required") this.#fire(this.#answer(task, everything));
      }
      await takeTurns(10);
      if (this.#failure !== undefined) throw this.#failure;
    }
    assert.deepEqual(
      open().map(({ last }) => last),
      [],
      "These tasks did not finish.",
    );
    for (const task of this.#tasks) {
      await this.#poll(task);
      if (!task.isGone) checkOutcome(task, this.#losses);
    }
  }

  /** Creates the connection between the handlers of a node and this world. */
  #stageOf(node: Node): Stage {
    return {
      pass: (id, signal) =>
        new Promise((resolve, reject) => {
          const gate = {
            id,
            node,
            open: () => {
              this.#gates.delete(gate);
              // The handlers of a dead node never continue.
              if (node.isAlive) resolve();
            },
          };
          this.#gates.add(gate);
          const onAbort = () => {
            this.#gates.delete(gate);
            if (node.isAlive) reject(signal?.reason as Error); // Safe: the server aborts with an error
          };
          if (signal?.aborted === true) onAbort();
          else signal?.addEventListener("abort", onAbort);
          if (this.#isEnding) setImmediate(gate.open);
        }),
      countStep: (key, retry) => {
        const count = (this.#steps.get(key) ?? 0) + 1;
        this.#steps.set(key, count);
        if (!retry && count > 1) this.#fail(new Error(`The step "${key}" ran ${count} times.`));
      },
    };
  }

  /** Lets all handlers continue for some turns, and polls all tasks. */
  async #rush(turns: number): Promise<void> {
    for (const gate of this.#gates) gate.open();
    await takeTurns(turns);
    for (const task of this.#tasks) this.#fire(this.#poll(task));
    // Enough for responses that do not wait for anything.
    for (let count = 0; count < 200; count++) await Promise.resolve();
  }

  async #lose(kept: number): Promise<void> {
    const node = this.#node;
    if (node === undefined) return;
    const { running, inStep } = this.#cluster.lose(node, kept);
    for (const taskId of running) this.#losses.counts.set(taskId, (this.#losses.counts.get(taskId) ?? 0) + 1);
    for (const taskId of inStep) this.#losses.inStep.add(taskId);
    if (!node.isAlive) this.#lostNodes.get(node)?.();
    await this.start();
  }

  async #create(tool: "fail" | "retry", script: Script): Promise<void> {
    const { resultType, ...last } = await this.#request("tools/call", { name: tool, arguments: script });
    assert.equal(resultType, "task");
    this.#tasks.push({
      taskId: String(last["taskId"]),
      tool,
      script,
      sent: new Map(),
      answered: new Set(),
      seen: new Map(),
      closed: new Set(),
      isCancelSent: false,
      isPolled: false,
      isGone: false,
      last,
    });
  }

  async #poll(task: Known): Promise<void> {
    // Only one at a time, because responses that overtake each other cannot be compared.
    if (task.isPolled) return;
    const before = { now: this.#clock.now(), answered: new Set(task.answered) };
    task.isPolled = true;
    try {
      const { resultType: _, ...state } = await this.#request("tasks/get", { taskId: task.taskId });
      assert(!task.isGone, `${task.script.id} was deleted, and is back.`);
      checkState(task, state, before);
    } catch (error) {
      if (!isUnknownTask(error)) throw error;
      const { createdAt, ttlMs } = task.last;
      const end = Date.parse(String(createdAt)) + Number(ttlMs);
      assert(this.#clock.now() >= end, `${task.script.id} was deleted before its lifetime ended.`);
      task.isGone = true;
    } finally {
      task.isPolled = false;
    }
  }

  async #answer(
    task: Known,
    { mode, keys }: Pick<Command & { kind: "answer" }, "mode" | "keys">,
  ): Promise<void> {
    const open = isJsonObject(task.last["inputRequests"]) ? Object.keys(task.last["inputRequests"]) : [];
    const chosen = mode === "unknown" ? [] : open.filter((_, index) => (keys & (1 << index)) !== 0);
    const inputResponses: Record<string, unknown> = {};
    const texts = new Map<string, string>();
    for (const [index, key] of chosen.entries()) {
      const number = this.#lastId++;
      const text = mode === "rejected" ? `${REJECTED} ${number}` : `answer ${number}`;
      const isInvalid = mode === "invalid" && index === 0;
      inputResponses[key] = isInvalid ? INVALID : { action: "accept", content: { text } };
      if (!isInvalid) texts.set(key, text);
    }
    if (keys % 2 === 1) inputResponses["unknown"] = { ignored: true };
    for (const [key, text] of texts) task.sent.set(key, [...(task.sent.get(key) ?? []), text]);
    try {
      await this.#request("tasks/update", { taskId: task.taskId, inputResponses });
      if (mode !== "invalid") for (const key of chosen) task.answered.add(key);
    } catch (error) {
      if (isUnknownTask(error)) return;
      if (!(error instanceof Error && "code" in error && error.code === -32602)) throw error;
      assert.equal(mode, "invalid", `${task.script.id}: ${error.message}`);
      // None of the answers was recorded.
      for (const [key, text] of texts)
        task.sent.set(
          key,
          (task.sent.get(key) ?? []).filter((one) => one !== text),
        );
    }
  }

  async #cancel(task: Known): Promise<void> {
    task.isCancelSent = true;
    try {
      await this.#request("tasks/cancel", { taskId: task.taskId });
    } catch (error) {
      if (!isUnknownTask(error)) throw error;
    }
  }

  /** Sends a request to the current node. @throws {LostNodeError} if the node ends before it responds */
  #request(method: string, params: JsonObject): Promise<JsonObject> {
    const node = this.#node;
    if (node === undefined) throw new Error("No node was started.");
    return new Promise((resolve, reject) => {
      const others = this.#lostNodes.get(node);
      this.#lostNodes.set(node, () => {
        others?.();
        reject(new LostNodeError("The node was lost."));
      });
      node.request(method, params).then(resolve, reject);
    });
  }

  /** Starts an operation without waiting for it. */
  #fire(operation: Promise<void>): void {
    const watched = operation
      .catch((error: unknown) => {
        if (!(error instanceof LostNodeError)) this.#fail(error);
      })
      .finally(() => this.#inFlight.delete(watched));
    this.#inFlight.add(watched);
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
  }
}

/** Maximum number of rounds in which all tasks must finish. */
const MAX_ROUNDS = 100;

const INVALID = { action: "accept", content: { text: 5 } };

function isUnknownTask(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Unknown task");
}

async function takeTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}
