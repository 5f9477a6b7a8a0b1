/**
 * @fileoverview Contract cases for `work`: which tasks run, how often, and when workers stop.
 * @module tenon/tasks/contract/work-cases
 */
import type { CaseContext } from "./case-context.js";
import { assertEqual } from "./checks.js";
import { answer, ask, begin, finish } from "./records.js";
import { type CaseDefinition, defineEngineCases } from "./store-cases.js";

/** Cases for `work`. */
export const WORK_CASES: readonly CaseDefinition[] = [
  .../* @__PURE__ */ defineEngineCases({
    async "every task runs exactly once, whether it was created before or after the worker started"(
      engine,
      context,
    ) {
      const ids = Array.from({ length: 40 }, (_, n) => `task-${n}`);
      await Promise.all(ids.slice(0, 20).map((taskId) => context.create(engine, { taskId })));
      const log = context.work(engine);
      await Promise.all(ids.slice(20).map((taskId) => context.create(engine, { taskId })));
      await context.until("all tasks run", () => log.started.length >= ids.length);
      await context.quiet();
      assertEqual("The started tasks", log.started.toSorted(), ids.toSorted());
    },
    async "a task runs once more for every write that queues it"(engine, context) {
      const ids = ["a", "b", "c", "d"];
      const log = context.work(engine, (taskId) => context.change(engine, taskId, ask));
      await Promise.all(ids.map((taskId) => context.create(engine, { taskId })));
      for (let round = 1; round <= 3; round++) {
        await context.until(`round ${round} ends`, () =>
          isIdle(log.started, log.running, round * ids.length),
        );
        await Promise.all(ids.map((taskId) => context.queue(engine, taskId, answer)));
      }
      await context.until("the last round ends", () => isIdle(log.started, log.running, 4 * ids.length));
      await context.quiet();
      const expected = ids.flatMap((taskId) => [taskId, taskId, taskId, taskId]);
      assertEqual("The started tasks", log.started.toSorted(), expected);
    },
    async "a write that does not queue the task, or that fails, does not run it"(engine, context) {
      const log = context.work(engine, (taskId) => context.change(engine, taskId, ask));
      const taskId = await context.create(engine, { taskId: "task" });
      await context.until("the task runs", () => isIdle(log.started, log.running, 1));
      const stored = await engine.read(taskId);
      if (stored === undefined) throw new Error("The task was lost.");
      await context.change(engine, taskId, (record) => ({ ...record, statusMessage: "changed" }));
      const record = answer(stored.record, context.now()) ?? stored.record;
      const isWritten = await engine.write({ record, expectedVersion: stored.version, queue: true });
      assertEqual("The write with an old version", isWritten, false);
      await runSentinel(context, engine, log);
      assertEqual("The started tasks", log.started, ["task", "sentinel"]);
    },
    async "a task that is queued while it runs runs again afterwards, not at the same time"(engine, context) {
      const gate = context.gate();
      const log = context.work(engine, async (taskId) => {
        const isFirst = log.started.length === 1;
        await context.change(engine, taskId, isFirst ? ask : finish);
        if (isFirst) await gate.opened;
      });
      const taskId = await context.create(engine, { taskId: "task" });
      const isAsked = async () => (await engine.read(taskId))?.record.status === "input_required";
      await context.until("the task asks", isAsked);
      await context.queue(engine, taskId, answer);
      await context.quiet();
      gate.open();
      await context.until("the task runs again", () => isIdle(log.started, log.running, 2));
      await context.quiet();
      assertEqual("The started tasks", log.started, ["task", "task"]);
      assertEqual("Two runs at the same time", log.overlaps, false);
    },
    async "a slow task does not delay the others"(engine, context) {
      const gate = context.gate();
      const log = context.work(engine, async (taskId) => {
        if (taskId === "slow") await gate.opened;
        await context.change(engine, taskId, finish);
      });
      await context.create(engine, { taskId: "slow" });
      await context.until("the slow task runs", () => log.running.has("slow"));
      await context.create(engine, { taskId: "fast" });
      await context.until("the fast task runs", () => log.started.includes("fast") && log.running.size === 1);
      gate.open();
      await context.until("the slow task ends", () => log.running.size === 0);
    },
    async "a stopped worker waits for its running tasks and starts no others"(engine, context) {
      const gate = context.gate();
      const log = context.work(engine, async (taskId) => {
        await context.change(engine, taskId, begin);
        await gate.opened;
        await context.change(engine, taskId, finish);
      });
      await context.create(engine, { taskId: "running" });
      await context.until("the task runs", () => log.running.has("running"));
      let isStopped = false;
      const stopped = log.stop().then(() => {
        isStopped = true;
      });
      await context.create(engine, { taskId: "later" });
      await context.quiet();
      assertEqual("Stopped before the task ended", isStopped, false);
      gate.open();
      await context.within("the worker stops", stopped);
      assertEqual("The status of the task", (await engine.read("running"))?.record.status, "completed");
      await context.quiet();
      assertEqual("The started tasks", log.started, ["running"]);
      const next = context.work(engine);
      await context.until("the next worker runs the other task", () => isIdle(next.started, next.running, 1));
      assertEqual("The tasks of the next worker", next.started, ["later"]);
    },
  }),
  {
    title: "every task runs on exactly one of two nodes",
    needs: "createPeer",
    async run(context) {
      const engine = await context.open();
      const peer = await context.peerOf(engine);
      const ids = Array.from({ length: 40 }, (_, n) => `task-${n}`);
      const logs = [context.work(engine), context.work(peer)];
      await Promise.all(ids.map((taskId, n) => context.create(n % 2 === 0 ? engine : peer, { taskId })));
      const started = () => logs.flatMap((log) => log.started);
      await context.until("all tasks run", () => started().length >= ids.length);
      await context.quiet();
      assertEqual("The started tasks", started().toSorted(), ids.toSorted());
    },
  },
];

/** Returns true if a worker has started a number of tasks and none of them is running. */
function isIdle(started: readonly string[], running: ReadonlySet<string>, count: number): boolean {
  return started.length >= count && running.size === 0;
}

/** Creates one more task and waits until it has run, so that tasks that were queued before it had time to run. */
async function runSentinel(
  context: CaseContext,
  engine: Parameters<CaseContext["create"]>[0],
  log: ReturnType<CaseContext["work"]>,
): Promise<void> {
  await context.create(engine, { taskId: "sentinel" });
  await context.until("the last task runs", () => log.started.includes("sentinel") && log.running.size === 0);
  await context.quiet();
}
