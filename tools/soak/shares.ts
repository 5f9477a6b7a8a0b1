/**
 * @fileoverview Fair shares of tasks and stored values in the soak test. They are measured by what a new owner can get:
 * everything, if nothing is left of others.
 * @module tools/soak/shares
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryKeyValueStore, type KeyValueStore } from "tenon/stores";
import { createTaskEngine, type TaskEngine } from "tenon/tasks";
import { createTaskRecord } from "tenon/testing";

/** Task engine and store with limits, and what they hold. */
export interface Shares {
  readonly engine: TaskEngine;
  readonly values: KeyValueStore;
  /** Measures the kilobytes that are in use. */
  readonly count: () => Promise<Readonly<Record<string, number>>>;
}

/** Limits in kilobytes. */
const MAX_TASKS_KB = 65_536;
const MAX_VALUES_KB = 4_096;

/** Time in milliseconds until a task of a measurement is deleted. */
const PROBE_MS = 2;

/** Creates an engine and a store. A share that is not given back also rejects calls after a while. */
export function createShares(): Shares {
  const engine = createTaskEngine({ maxTotalBytes: MAX_TASKS_KB * 1_024 });
  const values = createMemoryKeyValueStore({ maxTotalBytes: MAX_VALUES_KB * 1_024 });
  let probes = 0;
  const takeTask = async (bytes: number) => {
    const now = Date.now();
    const task = { taskId: `probe ${++probes}`, principal: "probe", status: "completed", bytes } as const;
    await engine.create(createTaskRecord(now, { ...task, deleteAt: now + PROBE_MS }));
    await sleep(PROBE_MS * 2);
  };
  const takeValue = async (bytes: number) => {
    await values.set("probe", "x".repeat(bytes), { ttlMs: 60_000, owner: "probe" });
    await values.delete("probe");
  };
  return {
    engine,
    values,
    count: async () => ({
      "kilobytes of tasks": MAX_TASKS_KB - (await findMost(MAX_TASKS_KB, takeTask)),
      "kilobytes of values": MAX_VALUES_KB - (await findMost(MAX_VALUES_KB, takeValue)),
    }),
  };
}

/** Returns the largest number of kilobytes that can be taken. */
async function findMost(limit: number, take: (bytes: number) => Promise<void>): Promise<number> {
  let [most, tooMuch] = [0, limit + 1];
  while (tooMuch - most > 1) {
    const middle = Math.floor((most + tooMuch) / 2);
    const isTaken = await take(middle * 1_024).then(
      () => true,
      () => false,
    );
    if (isTaken) most = middle;
    else tooMuch = middle;
  }
  return most;
}
