/**
 * @fileoverview Cases in which some callers take as much as they can, and others must still get their share. They run on
 * every backend.
 * @module tests/tenon/support/isolation/greedy-cases
 */
import { expect } from "vitest";
import type { KeyValueStore } from "tenon/stores";
import type { TaskEngine, TaskRecord } from "tenon/tasks";
import { createTaskRecord } from "../../../src/tasks/contract/records.js";

/** Limits of the engines and stores in these cases. */
export const MAX_BYTES = 4_000_000;
export const MAX_COUNT = 4_000;

/** Callers that take all they can get, and the part of the limit that each of them gets at most. */
export const CROWDS = [
  { title: "one greedy principal", greedy: ["eve"], part: 1 / 4 },
  { title: "five greedy principals", greedy: ["e1", "e2", "e3", "e4", "e5"], part: 1 / 4 },
  { title: "greedy callers without a principal", greedy: [null], part: 3 / 4 },
] as const;

const MODEST = ["ada", "bob", "cyd", null];

/** Greedy callers create tasks at the same time as others. */
export async function fillWithTasks(
  engine: TaskEngine,
  { greedy, part }: { readonly greedy: readonly (string | null)[]; readonly part: number },
): Promise<void> {
  const bytes = 50_000;
  const create = (principal: string | null, taskId: string) =>
    engine.create(createTaskRecord(Date.now(), { taskId, principal, bytes, status: "input_required" })).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ name: "TaskEngineError", code: "full" });
        return false;
      },
    );
  const most = Math.ceil((MAX_BYTES * part) / bytes) + 1;
  const others = MODEST.filter((one) => !greedy.includes(one));
  const takeAll = greedy.map(async (principal) => {
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) => create(principal, `${principal ?? "-"} ${n}`)),
    );
    return outcomes.filter((isCreated) => isCreated).length;
  });
  const during = others.map((principal) => create(principal, `${principal ?? "-"} during`));
  expect(await Promise.all(during)).toEqual(others.map(() => true));
  for (const taken of await Promise.all(takeAll)) {
    expect(taken).toBeGreaterThan(1);
    expect(taken).toBeLessThanOrEqual(most);
  }
  for (const principal of others) expect(await create(principal, `${principal ?? "-"} after`)).toBe(true);
  // Tasks that exist grow in the same way.
  const grow = async (taskId: string) => {
    const found = (await engine.read(taskId)) ?? expect.unreachable();
    const record: TaskRecord = { ...found.record, bytes: 100_000 };
    return engine.write({ record, expectedVersion: found.version });
  };
  await expect(growAll(grow, `${greedy[0] ?? "-"} 0`, 30)).rejects.toMatchObject({ code: "full" });
  for (const principal of others) expect(await grow(`${principal ?? "-"} during`)).toBe(true);
}

/** Grows the tasks of a greedy caller until it is rejected. */
async function growAll(grow: (taskId: string) => Promise<boolean>, first: string, count: number) {
  for (let n = 0; n < count; n++) await grow(first.replace(/\d+$/, String(n)));
}

/** Greedy owners write values at the same time as others. */
export async function fillWithValues(
  store: KeyValueStore,
  { greedy, part }: { readonly greedy: readonly (string | null)[]; readonly part: number },
): Promise<void> {
  const value = "x".repeat(50_000);
  const write = (owner: string, name: string) =>
    store.compareAndSet(`${owner} ${name}`, null, { value, ttlMs: 60_000, owner }).then(
      (isWritten) => isWritten,
      (error: unknown) => {
        expect(error).toMatchObject({ name: "StoreError", code: "share" });
        return false;
      },
    );
  const toOwner = (caller: string | null) => caller ?? "anonymous";
  const others = MODEST.filter((one) => !greedy.includes(one)).map(toOwner);
  const takeAll = greedy.map(toOwner).map(async (owner) => {
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, n) => write(owner, String(n))));
    return outcomes.filter((isWritten) => isWritten).length;
  });
  expect(await Promise.all(others.map((owner) => write(owner, "during")))).toEqual(others.map(() => true));
  for (const taken of await Promise.all(takeAll)) {
    expect(taken).toBeGreaterThan(1);
    expect(taken).toBeLessThanOrEqual(Math.ceil((MAX_BYTES * part) / value.length) + 1);
  }
  for (const owner of others) expect(await write(owner, "after")).toBe(true);
  if (greedy.length > 1) return;
  // Deleted values make room for others of their owner.
  const [first = ""] = greedy.map(toOwner);
  expect(await write(first, "more")).toBe(false);
  for (let n = 0; n < 10; n++) await store.delete(`${first} ${n}`);
  expect(await write(first, "more")).toBe(true);
}
