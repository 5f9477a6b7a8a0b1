/**
 * @fileoverview Contract cases for records: reads, versions, concurrent writes, and deletion.
 * @module tenon/tasks/contract/store-cases
 */
import type { TaskEngine } from "../engine/task-engine.js";
import { assertRejected, type CaseContext } from "./case-context.js";
import { assertEqual, defineCases } from "./checks.js";
import { createTaskRecord, createTrickyRecord } from "./records.js";

/** A case, before it is bound to a harness. */
export interface CaseDefinition {
  readonly title: string;
  /** Member of the harness without which the case is left out. */
  readonly needs?: "createPeer" | "reopen";
  readonly run: (context: CaseContext) => Promise<void>;
}

/** Creates cases that start with an empty engine. @param needs member of the harness that they need */
export function defineEngineCases(
  cases: Readonly<Record<string, (engine: TaskEngine, context: CaseContext) => Promise<void>>>,
  needs?: CaseDefinition["needs"],
): readonly CaseDefinition[] {
  const start = (run: (typeof cases)[string]) => async (context: CaseContext) =>
    run(await context.open(), context);
  return defineCases(
    Object.fromEntries(Object.entries(cases).map(([title, run]) => [title, start(run)])),
    needs,
  );
}

/** Cases for records. */
export const STORE_CASES: readonly CaseDefinition[] = [
  .../* @__PURE__ */ defineEngineCases({
    async "a created task can be read at once"(engine, context) {
      const record = createTaskRecord(context.now(), { taskId: "new" });
      await engine.create(record);
      assertEqual("The record", (await engine.read("new"))?.record, record);
    },
    async "an unknown task is not found and cannot be written"(engine, context) {
      const record = createTaskRecord(context.now(), { taskId: "unknown" });
      assertEqual("The unknown task", await engine.read("unknown"), undefined);
      const isWritten = await engine.write({ record, expectedVersion: "1", queue: true });
      assertEqual("The write", isWritten, false);
      assertEqual("The unknown task after the write", await engine.read("unknown"), undefined);
    },
    async "records keep every text, key, and number"(engine, context) {
      const peer = await context.peerOf(engine);
      const created = createTrickyRecord(context.now(), "tricky");
      await engine.create(created);
      assertEqual("The created record", (await peer.read("tricky"))?.record, created);
      const changed = { ...created, statusMessage: `${created.statusMessage} 2`, lostWorkers: 1 };
      await context.change(engine, "tricky", () => changed);
      assertEqual("The changed record", (await peer.read("tricky"))?.record, changed);
    },
    async "every write creates a new version, and reads do not"(engine, context) {
      const taskId = await context.create(engine, { taskId: "task" });
      const versions = new Set<string>();
      for (let n = 0; n < 5; n++) {
        const stored = await engine.read(taskId);
        if (stored === undefined) throw new Error("The task was lost.");
        assertEqual("The version of a second read", (await engine.read(taskId))?.version, stored.version);
        versions.add(stored.version);
        // The same record: a version is not a digest.
        assertEqual("The write", await engine.write({ ...stored, expectedVersion: stored.version }), true);
      }
      assertEqual("The number of versions", versions.size, 5);
    },
    async "a write with an old version changes nothing"(engine, context) {
      const taskId = await context.create(engine, { taskId: "task" });
      const first = await engine.read(taskId);
      if (first === undefined) throw new Error("The task was lost.");
      const { record, version: expectedVersion } = first;
      const second = { ...record, statusMessage: "second" };
      assertEqual("The second write", await engine.write({ record: second, expectedVersion }), true);
      const third = { ...record, statusMessage: "third" };
      assertEqual("The third write", await engine.write({ record: third, expectedVersion }), false);
      assertEqual("The record", (await engine.read(taskId))?.record, second);
    },
    async "one of 20 concurrent writes with the same version succeeds"(engine, context) {
      const nodes = [engine, await context.peerOf(engine)];
      const taskId = await context.create(engine, { taskId: "task" });
      const stored = await engine.read(taskId);
      if (stored === undefined) throw new Error("The task was lost.");
      const { record, version: expectedVersion } = stored;
      const writes = Array.from({ length: 20 }, (_, run) => {
        const node = nodes[run % 2] ?? engine;
        return node.write({ record: { ...record, run }, expectedVersion });
      });
      const winners = (await Promise.all(writes)).flatMap((isWritten, run) => (isWritten ? [run] : []));
      assertEqual("The number of successful writes", winners.length, 1);
      assertEqual("The stored record", (await engine.read(taskId))?.record.run, winners[0]);
    },
    async "50 concurrent writers lose no update"(engine, context) {
      const nodes = [engine, await context.peerOf(engine)];
      const taskId = await context.create(engine, { taskId: "task" });
      const writers = Array.from({ length: 50 }, (_, n) =>
        context.change(nodes[n % 2] ?? engine, taskId, (record) => ({ ...record, run: record.run + 1 })),
      );
      await context.within("all writers succeed", Promise.all(writers));
      assertEqual("The number of updates", (await engine.read(taskId))?.record.run, 50);
    },
    "a task is deleted when its `deleteAt` has passed, and not before": (engine, context) =>
      runDeletion(context, engine, (record) => record),
    "a write can shorten the lifetime of a task": (engine, context) =>
      runDeletion(context, engine, (record) => ({ ...record, deleteAt: record.createdAt + 3_600_000 })),
    async "a write can extend the lifetime of a task, also without limit"(engine, context) {
      const lifetime = lifetimeOf(context);
      for (const taskId of ["longer", "forever"])
        await context.create(engine, { taskId, deleteAt: context.now() + lifetime });
      await context.change(engine, "longer", (record) => ({
        ...record,
        deleteAt: context.now() + 3_600_000,
      }));
      await context.change(engine, "forever", (record) => ({ ...record, deleteAt: null }));
      await context.advance(lifetime + 1);
      for (const taskId of ["longer", "forever"])
        assertEqual("The extended task", (await engine.read(taskId))?.record.taskId, taskId);
    },
    async "`close` can be called more than once"(engine, context) {
      await context.create(engine, { taskId: "task" });
      await context.within("`close` resolves", Promise.all([engine.close(), engine.close()]));
      await context.within("`close` resolves again", engine.close());
    },
    async "`create` and `write` are rejected after `close`"(engine, context) {
      const taskId = await context.create(engine, { taskId: "task" });
      const stored = await engine.read(taskId);
      if (stored === undefined) throw new Error("The task was lost.");
      await context.within("`close` resolves", engine.close());
      const record = createTaskRecord(context.now(), { taskId: "late" });
      await assertRejected("The late task", "unavailable", engine.create(record));
      const write = { record: stored.record, expectedVersion: stored.version, queue: true };
      await assertRejected("The late write", "unavailable", engine.write(write));
    },
  }),
  {
    title: "a created task can be read at once on another node",
    needs: "createPeer",
    async run(context) {
      const engine = await context.open();
      const peer = await context.peerOf(engine);
      for (let n = 0; n < 20; n++) {
        const taskId = await context.create(engine, { taskId: `task-${n}` });
        assertEqual("The task on the other node", (await peer.read(taskId))?.record.taskId, taskId);
      }
    },
  },
];

/** Lifetime for cases about deletion. Short if the suite has to wait for it. */
function lifetimeOf({ harness }: CaseContext): number {
  return harness.clock === undefined ? 1_000 : 60_000;
}

type Change = (record: ReturnType<typeof createTaskRecord>) => ReturnType<typeof createTaskRecord>;

/** Checks that a task exists until its `deleteAt`. `toFirst` changes the record before it is created. */
async function runDeletion(context: CaseContext, engine: TaskEngine, toFirst: Change): Promise<void> {
  const lifetime = lifetimeOf(context);
  const record = createTaskRecord(context.now(), { taskId: "task", deleteAt: context.now() + lifetime });
  const first = toFirst(record);
  await engine.create(first);
  if (first !== record) await context.change(engine, "task", () => record);
  const stored = await readBefore(context, engine, record.deleteAt ?? 0);
  await context.advance(lifetime + 1);
  // Clocks of other machines may differ a little.
  await context.until("the task is deleted", async () => (await engine.read("task")) === undefined);
  if (stored === undefined) return;
  const isWritten = await engine.write({ record: stored.record, expectedVersion: stored.version });
  assertEqual("The write to a deleted task", isWritten, false);
  assertEqual("The deleted task after the write", await engine.read("task"), undefined);
}

/** Reads a task that must exist. Returns `undefined` if the read was too slow to tell. */
async function readBefore(context: CaseContext, engine: TaskEngine, deleteAt: number) {
  const stored = await engine.read("task");
  if (stored === undefined && context.now() < deleteAt) throw new Error("The task was deleted too early.");
  return stored;
}
