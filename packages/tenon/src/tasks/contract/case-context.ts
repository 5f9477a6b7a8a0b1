/**
 * @fileoverview Tools for one case of the contract: engines, workers, waits, and checks. Everything that a case opens is
 * closed when it ends.
 * @module tenon/tasks/contract/case-context
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { systemPorts } from "@tenon/internal/ports";
import { messageOf } from "@tenon/internal/thrown";
import { type TaskEngine, TaskEngineError, type TaskEngineErrorCode } from "../engine/task-engine.js";
import type { TaskRecord } from "../state/record.js";
import { CaseWaits, waitFor } from "./checks.js";
import type { ContractLimits, TaskEngineHarness } from "./harness.js";
import { changeTask, createTaskRecord, finish } from "./records.js";

/** Runs of a worker. */
export interface WorkLog {
  /** IDs of all tasks that were started, in order. */
  readonly started: string[];
  /** IDs of the tasks that are running. */
  readonly running: Set<string>;
  /** True if a task was started while it was running. */
  overlaps: boolean;
  stop(): Promise<void>;
}

/** Promise that a case resolves, or that resolves when the case ends. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** One case. */
export class CaseContext extends CaseWaits<TaskEngineHarness> {
  readonly #engines = new Map<TaskEngine, (() => Promise<void>)[]>();
  readonly #gates: Gate[] = [];
  readonly #problems: string[] = [];

  async open(limits: ContractLimits = {}): Promise<TaskEngine> {
    return this.#add(await this.harness.createEngine(limits));
  }

  /** Returns an engine on a second node, or the same engine if there can be only one. */
  async peerOf(engine: TaskEngine): Promise<TaskEngine> {
    const peer = await this.harness.createPeer?.(engine);
    return peer === undefined ? engine : this.#add(peer);
  }

  /** Ends an engine as if its process was killed, and opens it again. */
  async reopen(engine: TaskEngine): Promise<TaskEngine> {
    this.#engines.delete(engine);
    const reopened = await this.harness.reopen?.(engine);
    if (reopened === undefined) throw new Error("`reopen` must return an engine.");
    return this.#add(reopened);
  }

  now(): number {
    return this.harness.clock?.now() ?? systemPorts.now();
  }

  /** Creates a task with the given members and returns its ID. */
  async create(
    engine: TaskEngine,
    members: Partial<TaskRecord> & { readonly taskId: string },
  ): Promise<string> {
    await engine.create(createTaskRecord(this.now(), members));
    return members.taskId;
  }

  /** Changes the record of a task. */
  change(
    engine: TaskEngine,
    taskId: string,
    change: (record: TaskRecord, now: number) => TaskRecord | undefined,
  ): Promise<void> {
    return changeTask(engine, this.now(), { taskId, change });
  }

  /** Changes the record of a task and queues it. */
  queue(
    engine: TaskEngine,
    taskId: string,
    change: (record: TaskRecord, now: number) => TaskRecord | undefined,
  ): Promise<void> {
    return changeTask(engine, this.now(), { taskId, change, queue: true });
  }

  /** Starts a worker that calls `run` for each task. By default, it serves all tasks, and they finish at once. */
  work(
    engine: TaskEngine,
    run: (taskId: string) => MaybePromise<void> = (taskId) => this.change(engine, taskId, finish),
    serves?: (record: TaskRecord) => boolean,
  ): WorkLog {
    const log = { started: [] as string[], running: new Set<string>(), overlaps: false };
    const stop = engine.work({
      run: async (taskId) => {
        if (log.running.has(taskId)) log.overlaps = true;
        log.started.push(taskId);
        log.running.add(taskId);
        try {
          await run(taskId);
        } catch (error) {
          this.#problems.push(`The run of task "${taskId}" failed: ${String(messageOf(error))}`);
        } finally {
          log.running.delete(taskId);
        }
      },
      ...(serves === undefined ? {} : { serves }),
      report: (error) => this.#problems.push(`The engine reported: ${String(messageOf(error))}`),
    });
    this.#engines.get(engine)?.push(stop);
    return Object.assign(log, { stop });
  }

  /** Creates a gate. */
  gate(): Gate {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const gate = { opened, open };
    this.#gates.push(gate);
    return gate;
  }

  /** Waits for a promise. */
  within<T>(what: string, promise: Promise<T>): Promise<T> {
    return waitFor(what, promise, this.harness.timeoutMs);
  }

  /** Ends the case: opens all gates, stops the workers, and closes the engines. */
  async end(): Promise<void> {
    for (const gate of this.#gates) gate.open();
    for (const [engine, stops] of this.#engines) {
      for (const stop of stops) await this.within("a worker stops", stop());
      await this.within("an engine closes", engine.close());
    }
    if (this.#problems.length > 0) throw new Error(this.#problems.join("\n"));
  }

  #add(engine: TaskEngine): TaskEngine {
    this.#engines.set(engine, []);
    return engine;
  }
}

/** Throws an error unless an engine rejects an operation because it is full. */
export function assertFull(what: string, operation: Promise<unknown>): Promise<void> {
  return assertRejected(what, "full", operation);
}

/** Throws an error unless an engine rejects an operation with an error of the given code. */
export async function assertRejected(
  what: string,
  code: TaskEngineErrorCode,
  operation: Promise<unknown>,
): Promise<void> {
  const outcome = await operation.then(
    () => "no error",
    (error: unknown) =>
      error instanceof TaskEngineError ? `a TaskEngineError "${error.code}"` : String(messageOf(error)),
  );
  const expected = `a TaskEngineError "${code}"`;
  if (outcome !== expected) throw new Error(`${what}: expected ${expected}; got ${outcome}.`);
}
