/**
 * @fileoverview Contract cases for engines whose tasks survive the process.
 * @module tenon/tasks/contract/reopen-cases
 */
import type { TaskEngine } from "../engine/task-engine.js";
import type { TaskRecord } from "../state/record.js";
import type { CaseContext } from "./case-context.js";
import { assertEqual } from "./checks.js";
import { answer, ask, begin, createTrickyRecord, finish } from "./records.js";
import { defineEngineCases } from "./store-cases.js";

/** Cases for engines that can be opened again. */
export const REOPEN_CASES = /* @__PURE__ */ defineEngineCases(
  {
    async "records in every status survive the process unchanged"(engine, context) {
      const changes: Readonly<Record<string, (record: TaskRecord, now: number) => TaskRecord | undefined>> = {
        created: (record) => record,
        running: begin,
        waiting: ask,
        finished: finish,
      };
      const records = new Map<string, TaskRecord | undefined>();
      for (const [taskId, change] of Object.entries(changes)) {
        await engine.create(createTrickyRecord(context.now(), taskId));
        await context.change(engine, taskId, change);
        records.set(taskId, (await engine.read(taskId))?.record);
      }
      const reopened = await context.reopen(await context.reopen(engine));
      for (const [taskId, record] of records)
        assertEqual(`The ${taskId} task`, (await reopened.read(taskId))?.record, record);
    },
    async "tasks that no worker has started run in the next process"(engine, context) {
      await context.create(engine, { taskId: "created" });
      await context.create(engine, { taskId: "answered" });
      const log = context.work(engine, (taskId) => context.change(engine, taskId, ask));
      await context.until("the tasks ask", () => log.started.length === 2 && log.running.size === 0);
      await context.within("the worker stops", log.stop());
      await context.queue(engine, "answered", answer);
      await context.create(engine, { taskId: "later" });
      const { started } = await runAfterLoss(context, engine, ["answered", "later"]);
      assertEqual("The started tasks", started.toSorted(), ["answered", "later", "sentinel"]);
    },
    async "tasks that were running run again in the next process"(engine, context) {
      const gate = context.gate();
      const log = context.work(engine, async (taskId) => {
        await context.change(engine, taskId, begin);
        await gate.opened;
      });
      const ids = ["a", "b", "c"];
      for (const taskId of ids) await context.create(engine, { taskId });
      const isBegun = async (taskId: string) => (await engine.read(taskId))?.record.isRunning === true;
      await context.until("the tasks run", async () => (await Promise.all(ids.map(isBegun))).every(Boolean));
      assertEqual("The first runs", log.started.length, 3);
      const { started } = await runAfterLoss(context, engine, ids);
      assertEqual("The started tasks", started.toSorted(), [...ids, "sentinel"]);
    },
    async "tasks that wait or have finished do not run in the next process"(engine, context) {
      const log = context.work(engine, (taskId) =>
        context.change(engine, taskId, taskId === "waiting" ? ask : finish),
      );
      for (const taskId of ["waiting", "finished"]) await context.create(engine, { taskId });
      await context.until("the tasks run", () => log.started.length === 2 && log.running.size === 0);
      await context.within("the worker stops", log.stop());
      const { started } = await runAfterLoss(context, engine, []);
      assertEqual("The started tasks", started, ["sentinel"]);
    },
    async "tasks whose `deleteAt` passes are not found in the next process"(engine, context) {
      const lifetime = context.harness.clock === undefined ? 300 : 60_000;
      await context.create(engine, { taskId: "short", deleteAt: context.now() + lifetime });
      await context.create(engine, { taskId: "long" });
      await context.advance(lifetime + 1);
      const reopened = await context.reopen(engine);
      await context.until("the task is deleted", async () => (await reopened.read("short")) === undefined);
      assertEqual("The other task", (await reopened.read("long"))?.record.taskId, "long");
    },
    async "no acknowledged write is lost when the process ends during others"(engine, context) {
      const acknowledged = new Map<string, number>();
      const ids = Array.from({ length: 50 }, (_, n) => `task-${n}`);
      const process = { isLost: false };
      const write = async (taskId: string) => {
        await context.create(engine, { taskId });
        if (!process.isLost) acknowledged.set(taskId, 0);
        for (let run = 1; run <= 10 && !process.isLost; run++) {
          await context.change(engine, taskId, (record) => ({ ...record, run }));
          if (!process.isLost) acknowledged.set(taskId, run);
        }
      };
      // Writes fail when the process is lost.
      const writes = ids.map((taskId) => write(taskId).catch(() => undefined));
      const total = () => [...acknowledged.values()].reduce((sum, run) => sum + run, 0);
      await context.until("half of the writes are acknowledged", () => total() >= 100);
      process.isLost = true;
      const reopened = await context.reopen(engine);
      for (const [taskId, run] of acknowledged) {
        const found = (await reopened.read(taskId))?.record.run ?? -1;
        if (found < run) throw new Error(`Task "${taskId}": write ${run} was lost; got write ${found}.`);
      }
      await context.within("the writes end", Promise.all(writes));
    },
    async "records can be changed in the next process"(engine, context) {
      await context.create(engine, { taskId: "task" });
      await context.change(engine, "task", (record) => ({ ...record, run: 1 }));
      const reopened = await context.reopen(engine);
      const versions = new Set<string | undefined>();
      for (let run = 2; run <= 4; run++) {
        versions.add((await reopened.read("task"))?.version);
        await context.change(reopened, "task", (record) => ({ ...record, run: record.run + 1 }));
      }
      assertEqual("The number of versions", versions.size, 3);
      const again = await context.reopen(reopened);
      assertEqual("The run in the record", (await again.read("task"))?.record.run, 4);
    },
  },
  "reopen",
);

/** Opens the engine again, and returns the tasks that start, together with a new one that is created last. */
async function runAfterLoss(
  context: CaseContext,
  engine: TaskEngine,
  expected: readonly string[],
): Promise<{ readonly started: readonly string[] }> {
  const reopened = await context.reopen(engine);
  const log = context.work(reopened);
  await context.create(reopened, { taskId: "sentinel" });
  const all = [...expected, "sentinel"];
  await context.until(`these tasks run: ${all.join(", ")}`, () =>
    all.every((taskId) => log.started.includes(taskId)),
  );
  await context.quiet();
  await context.within("the worker stops", log.stop());
  return log;
}
