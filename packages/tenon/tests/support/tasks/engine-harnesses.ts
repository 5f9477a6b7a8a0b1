/**
 * @fileoverview Harnesses that run the contract for task engines on the embedded engine.
 * @module tests/tenon/support/tasks/engine-harnesses
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTaskEngine, type TaskEngine } from "tenon/tasks";
import type {
  ContractClock,
  ContractLimits,
  TaskEngineHarness,
} from "../../../src/tasks/contract/harness.js";
import { afterFile } from "../../../../../tests/support/after-file.js";

/** Creates a temporary folder. It is removed after the file's tests. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-tasks-"));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Clock that moves only when a test moves it. */
export class ManualClock implements ContractClock {
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

const LIMITS: readonly (keyof ContractLimits)[] = [
  "concurrency",
  "concurrencyPerPrincipal",
  "maxTasks",
  "maxTasksPerPrincipal",
  "maxTotalBytes",
];

/** Creates the harness for records in memory. */
export function createMemoryHarness(): TaskEngineHarness {
  const clock = new ManualClock();
  const ports = { now: () => clock.now() };
  return { limits: LIMITS, clock, createEngine: (limits) => createTaskEngine({ ...limits, ports }) };
}

/** Creates the harness for records in a directory. */
export function createDirectoryHarness(): TaskEngineHarness {
  const clock = new ManualClock();
  const ports = { now: () => clock.now() };
  const directories = new Map<TaskEngine, string>();
  const open = (directory: string, limits: ContractLimits = {}) => {
    const engine = createTaskEngine({ ...limits, directory, sync: false, ports });
    directories.set(engine, directory);
    return engine;
  };
  return {
    limits: LIMITS,
    clock,
    createEngine: (limits) => open(join(makeFolder(), "tasks"), limits),
    async reopen(engine) {
      const directory = join(makeFolder(), "tasks");
      // A copy is what a killed process leaves behind. Later writes of the old engine go to the original.
      cpSync(directories.get(engine) ?? "", directory, {
        recursive: true,
        filter: (path) => !path.includes("lock"),
      });
      void engine.close();
      return open(directory);
    },
  };
}
