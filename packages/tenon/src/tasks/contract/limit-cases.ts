/**
 * @fileoverview Contract cases for limits. They apply to engines that have the limit.
 * @module tenon/tasks/contract/limit-cases
 */
import type { TaskEngine } from "../engine/task-engine.js";
import { assertFull, type CaseContext, type WorkLog } from "./case-context.js";
import { assertEqual, defineCases } from "./checks.js";
import type { ContractLimits } from "./harness.js";
import { createTaskRecord, finish } from "./records.js";
import type { CaseDefinition } from "./store-cases.js";

/** Cases by the limit that they need. */
export const LIMIT_CASES: Readonly<Record<keyof ContractLimits, readonly CaseDefinition[]>> = {
  concurrency: /* @__PURE__ */ defineCases<CaseDefinition>({
    async "at most `concurrency` tasks run at the same time, and all of them run"(context) {
      const engine = await context.open({ concurrency: 2 });
      const ids = Array.from({ length: 7 }, (_, n) => `task-${n}`);
      const { log, most, gates } = workWithGates(context, engine);
      await Promise.all(ids.map((taskId) => context.create(engine, { taskId })));
      await context.until("two tasks run", () => log.running.size >= 2);
      await context.quiet();
      await openAll(context, gates, ids);
      await context.until("all tasks end", () => log.started.length === 7 && log.running.size === 0);
      assertEqual("The most tasks at the same time", most(), 2);
      assertEqual("The started tasks", log.started.toSorted(), ids);
    },
  }),
  concurrencyPerPrincipal: [
    {
      title:
        "at most `concurrencyPerPrincipal` tasks of one principal run, and those of others are not delayed",
      async run(context) {
        const engine = await context.open({ concurrencyPerPrincipal: 1 });
        const { log, gates } = workWithGates(context, engine);
        for (const taskId of ["a1", "a2", "a3"]) await context.create(engine, { taskId, principal: "a" });
        await context.create(engine, { taskId: "b1", principal: "b" });
        for (const taskId of ["n1", "n2"]) await context.create(engine, { taskId });
        await context.until("four tasks run", () => log.running.size >= 4);
        await context.quiet();
        // Callers without authentication are not limited.
        assertEqual("The running tasks", [...log.running].map(toGroup).toSorted(), ["a", "b", "n", "n"]);
        await openAll(context, gates, ["a1", "a2", "a3", "b1", "n1", "n2"]);
        await context.until("all tasks end", () => log.started.length === 6 && log.running.size === 0);
      },
    },
  ],
  maxTasks: /* @__PURE__ */ defineCases<CaseDefinition>({
    async "a task beyond `maxTasks` is rejected and leaves nothing behind"(context) {
      const engine = await context.open({ maxTasks: 2 });
      for (const taskId of ["first", "second"]) await context.create(engine, { taskId });
      const record = createTaskRecord(context.now(), { taskId: "third" });
      await assertFull("The third task", engine.create(record));
      assertEqual("The rejected task", await engine.read("third"), undefined);
      const log = context.work(engine);
      await context.until("the other tasks run", () => log.started.includes("first"));
      await context.quiet();
      assertEqual("The rejected task ran", log.started.includes("third"), false);
    },
    async "a deleted task makes room for another"(context) {
      const engine = await context.open({ maxTasks: 1 });
      const lifetime = context.harness.clock === undefined ? 300 : 60_000;
      await context.create(engine, { taskId: "first", deleteAt: context.now() + lifetime });
      await context.advance(lifetime + 1);
      await context.until("a second task is accepted", () => isAccepted(context, engine));
    },
  }),
  maxTasksPerPrincipal: /* @__PURE__ */ defineCases<CaseDefinition>({
    async "a task beyond `maxTasksPerPrincipal` is rejected, and those of others are not"(context) {
      const engine = await context.open({ maxTasksPerPrincipal: 1 });
      await context.create(engine, { taskId: "a1", principal: "a" });
      const record = createTaskRecord(context.now(), { taskId: "a2", principal: "a" });
      await assertFull("The second task", engine.create(record));
      assertEqual("The rejected task", await engine.read("a2"), undefined);
      await context.create(engine, { taskId: "b1", principal: "b" });
      for (const taskId of ["n1", "n2"]) await context.create(engine, { taskId });
    },
    async "a deleted task makes room for another of its principal"(context) {
      const engine = await context.open({ maxTasksPerPrincipal: 1 });
      const lifetime = context.harness.clock === undefined ? 300 : 60_000;
      const deleteAt = context.now() + lifetime;
      await context.create(engine, { taskId: "first", principal: "a", deleteAt });
      await context.advance(lifetime + 1);
      await context.until("a second task is accepted", () => isAccepted(context, engine));
    },
  }),
  maxTotalBytes: /* @__PURE__ */ defineCases<CaseDefinition>({
    async "records beyond `maxTotalBytes` are rejected, and the old ones stay"(context) {
      const engine = await context.open({ maxTotalBytes: 10_000 });
      const taskId = await context.create(engine, { taskId: "task", bytes: 6_000 });
      const large = createTaskRecord(context.now(), { taskId: "large", bytes: 6_000 });
      await assertFull("The second task", engine.create(large));
      assertEqual("The rejected task", await engine.read("large"), undefined);
      const grow = context.change(engine, taskId, (record) => ({ ...record, run: 1, bytes: 11_000 }));
      await assertFull("The larger record", grow);
      assertEqual("The run in the record", (await engine.read(taskId))?.record.run, 0);
      await context.change(engine, taskId, (record) => ({ ...record, run: 2, bytes: 3_000 }));
      await engine.create(large);
    },
  }),
};

/** Starts a worker whose tasks wait for a gate. `most` returns the highest number of tasks at the same time. */
function workWithGates(context: CaseContext, engine: TaskEngine) {
  const gates = new Map<string, () => void>();
  let most = 0;
  const log: WorkLog = context.work(engine, async (taskId) => {
    most = Math.max(most, log.running.size);
    const gate = context.gate();
    gates.set(taskId, gate.open);
    await gate.opened;
    await context.change(engine, taskId, finish);
  });
  return { log, gates, most: () => most };
}

async function openAll(
  context: CaseContext,
  gates: ReadonlyMap<string, () => void>,
  ids: readonly string[],
): Promise<void> {
  const opened = new Set<string>();
  await context.until("all tasks start", () => {
    for (const [taskId, open] of gates) {
      opened.add(taskId);
      open();
    }
    return opened.size === ids.length;
  });
}

async function isAccepted(context: CaseContext, engine: TaskEngine): Promise<boolean> {
  try {
    await context.create(engine, { taskId: "second", principal: "a" });
    return true;
  } catch {
    return false;
  }
}

function toGroup(taskId: string): string {
  return taskId.slice(0, 1);
}
