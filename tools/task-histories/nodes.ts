/**
 * @fileoverview Servers for the property test that can be lost at any time. Time passes only when the test moves it.
 * @module tools/task-histories/nodes
 */
import { parseOptions } from "@tenon/internal/options/define-options";
import type { JsonObject } from "@tenon/internal/json";
import { defineServer } from "tenon";
import { type TaskEngine, type TaskRecord, tasks } from "tenon/tasks";
import { createClient } from "tenon/testing";
import type { LoggedTask, TaskLog } from "../../packages/tenon/src/tasks/directory/task-log.js";
import { EmbeddedTaskEngine } from "../../packages/tenon/src/tasks/engine/embedded-engine.js";
import { ENGINE_OPTIONS } from "../../packages/tenon/src/tasks/engine/engine-options.js";
import { SharedTasks } from "./shared-tasks.js";
import { createHandler, SCRIPT, type Stage } from "./script.js";

/** Clock and timers that all nodes share. */
export class WorldClock {
  #now = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<{ readonly at: number; readonly task: () => void }>();

  now(): number {
    return this.#now;
  }

  /** Moves the time and runs the timers that are due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.task();
    }
    this.#now = end;
  }

  /** Creates the ports of a node. A node that is not alive does nothing anymore. */
  portsOf(node: { readonly isAlive: boolean }) {
    return {
      now: () => this.#now,
      startTimer: (task: () => void, ms: number) => {
        const guarded = () => {
          if (node.isAlive) task();
        };
        if (ms === 0) {
          const immediate = setImmediate(guarded);
          return () => clearImmediate(immediate);
        }
        const timer = { at: this.#now + ms, task: guarded };
        this.#timers.add(timer);
        return () => void this.#timers.delete(timer);
      },
    };
  }
}

/** Server that can be lost. */
export interface Node {
  /** Sends a request. The promise stays pending if the node is lost before it responds. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** False once the node does nothing anymore. A lost node of a cluster may be alive. */
  readonly isAlive: boolean;
}

/** IDs of tasks whose node was lost. */
export interface LostTasks {
  readonly running: readonly string[];
  /** Tasks that were in a step without `retry`. */
  readonly inStep: readonly string[];
}

/** Source of nodes that have the same tasks. */
export interface Cluster {
  /** Starts a node. */
  start(stage: (node: Node) => Stage): Promise<Node>;
  /**
   * Loses a node, and returns the tasks that it ran. `kept` is the number of unfinished writes that are stored.
   */
  lose(node: Node, kept: number): LostTasks;
}

/** Creates nodes with the embedded engine, one after the other, with a log that survives them. */
export function createSuccessors(clock: WorldClock): Cluster {
  const lines: string[] = [];
  const logs = new Map<Node, SurvivingLog>();
  return {
    async start(stage) {
      const log = new SurvivingLog(lines);
      const isAlive = () => log.isAlive;
      return startNode({
        isAlive,
        clock,
        stage,
        createEngine: (node, ports) => {
          logs.set(node, log);
          return new EmbeddedTaskEngine(parseOptions(ENGINE_OPTIONS, {}), { ports, log });
        },
      });
    },
    lose(node, kept) {
      logs.get(node)?.kill(kept);
      const running = readLines(lines).filter(({ record }) => record.isRunning);
      const inStep = running.filter(({ record }) => isInStep(record));
      return { running: running.map(toId), inStep: inStep.map(toId) };
    },
  };
}

/** Creates nodes that share their tasks. The handlers of a lost node continue. */
export function createPeers(clock: WorldClock): Cluster {
  const shared = new SharedTasks(() => clock.now());
  const engines = new Map<Node, ReturnType<SharedTasks["createNode"]>>();
  return {
    start: (stage) =>
      startNode({
        isAlive: () => true,
        clock,
        stage,
        createEngine: (node) => {
          const engine = shared.createNode();
          engines.set(node, engine);
          return engine;
        },
      }),
    lose(node) {
      const engine = engines.get(node);
      // The node may start a step after it is lost, so each of its tasks may be in one.
      const running = engine === undefined ? [] : shared.lose(engine);
      return { running, inStep: running };
    },
  };
}

function toId({ record }: LoggedTask): string {
  return record.taskId;
}

function isInStep({ journal }: TaskRecord): boolean {
  return Object.values(journal.steps).some((step) => step.state === "started" && !step.retry);
}

/** Returns the newest state of each task. */
function readLines(lines: readonly string[]): readonly LoggedTask[] {
  const newest = new Map<string, LoggedTask>();
  for (const line of lines) {
    const task = JSON.parse(line) as LoggedTask; // Safe: the log wrote it
    newest.set(task.record.taskId, task);
  }
  return [...newest.values()];
}

interface NodeParts {
  readonly isAlive: () => boolean;
  readonly clock: WorldClock;
  readonly stage: (node: Node) => Stage;
  readonly createEngine: (node: Node, ports: ReturnType<WorldClock["portsOf"]>) => TaskEngine;
}

async function startNode({ isAlive, clock, stage, createEngine }: NodeParts): Promise<Node> {
  let client: { request(method: string, params: JsonObject): Promise<JsonObject> } | undefined;
  const node: Node = {
    get isAlive() {
      return isAlive();
    },
    request: (method, params) => client?.request(method, params) ?? Promise.reject(new Error("Not started.")),
  };
  const ports = clock.portsOf(node);
  const handler = createHandler(stage(node));
  const server = defineServer({ name: "property", version: "1.0.0", ports, log: () => undefined })
    .extension(tasks({ engine: createEngine(node, ports), resultTtlMs: 1_000, progressIntervalMs: 10 }))
    .tool("fail", { task: { mode: "required", ttlMs: 10_000 }, input: SCRIPT, handler })
    .tool("retry", {
      task: { mode: "optional", ttlMs: 20_000, onLostWorker: "retry", maxLostWorkers: 3 },
      input: SCRIPT,
      handler,
    })
    .build();
  client = await createClient(server, {
    revision: "2026-07-28",
    capabilities: { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } },
  });
  return node;
}

/** Number of turns of the event loop until a line is durable. */
const LATENCY = 4;

/** Log in memory that outlives its process. Lines that arrive while others are being written are written together. */
class SurvivingLog implements TaskLog {
  readonly #lines: string[];
  #pending: { readonly line: string; readonly done: () => void }[] = [];
  #isAlive = true;
  #isWriting = false;

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  async load(): Promise<readonly LoggedTask[]> {
    return readLines(this.#lines);
  }

  append({ record, version }: LoggedTask): Promise<void> {
    return new Promise((done) => {
      this.#pending.push({ line: JSON.stringify({ record, version }), done });
      if (this.#isWriting) return;
      this.#isWriting = true;
      this.#flushAfter(LATENCY);
    });
  }

  async close(): Promise<void> {
    this.#flush();
  }

  /** Ends the process. The first lines that it was writing are kept. */
  kill(kept: number): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#lines.push(...this.#pending.slice(0, kept).map(({ line }) => line));
  }

  #flushAfter(turns: number): void {
    if (turns === 0) this.#flush();
    else setImmediate(() => this.#flushAfter(turns - 1));
  }

  #flush(): void {
    this.#isWriting = false;
    if (!this.#isAlive) return;
    const written = this.#pending;
    this.#pending = [];
    this.#lines.push(...written.map(({ line }) => line));
    for (const { done } of written) done();
  }
}
