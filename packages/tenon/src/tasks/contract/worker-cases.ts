/**
 * @fileoverview Contract cases for several workers, as of servers that share an engine, and for workers that stop.
 * @module tenon/tasks/contract/worker-cases
 */
import type { TaskEngine } from "../engine/task-engine.js";
import type { TaskRecord } from "../state/record.js";
import type { CaseContext } from "./case-context.js";
import { assertEqual } from "./checks.js";
import { begin, finish } from "./records.js";
import { type CaseDefinition, defineEngineCases } from "./store-cases.js";

/** Cases for workers that serve some tasks, and for workers that stop. */
export const WORKER_CASES: readonly CaseDefinition[] = [
  .../* @__PURE__ */ defineEngineCases({
    async "a task runs only on a worker that serves it, and waits until there is one"(engine, context) {
      await runServed(context, engine, engine);
    },
    async "a stopped worker does not wait for the tasks of others"(engine, context) {
      const gate = context.gate();
      const run = async (taskId: string) => {
        if (taskId === "slow") await gate.opened;
        await context.change(engine, taskId, finish);
      };
      const slow = context.work(engine, run, serving("slow"));
      const fast = context.work(engine, run, serving("fast"));
      await context.create(engine, { taskId: "slow", tool: "slow" });
      await context.create(engine, { taskId: "fast", tool: "fast" });
      const isReady = () => slow.running.size === 1 && fast.started.length === 1 && fast.running.size === 0;
      await context.until("both tasks run, and one ends", isReady);
      await context.within("the worker without a running task stops", fast.stop());
      assertEqual("The tasks that still run", [...slow.running], ["slow"]);
      gate.open();
      await context.within("the other worker stops", slow.stop());
      assertEqual("The status of its task", (await engine.read("slow"))?.record.status, "completed");
    },
    async "a run that a stopped worker left unfinished is given to the next worker"(engine, context) {
      const gate = context.gate();
      const first = context.work(engine, async (taskId) => {
        await context.change(engine, taskId, begin);
        await gate.opened;
        // The other run ends as it should.
        if (taskId === "finished") await context.change(engine, taskId, finish);
      });
      for (const taskId of ["unfinished", "finished"]) await context.create(engine, { taskId });
      const isBegun = async (taskId: string) => (await engine.read(taskId))?.record.isRunning === true;
      await context.until(
        "both runs begin",
        async () => (await isBegun("unfinished")) && isBegun("finished"),
      );
      const stopped = first.stop();
      gate.open();
      await context.within("the worker stops", stopped);
      const next = context.work(engine);
      await context.until("the next worker runs the task", () => isDone(next, "unfinished"));
      await context.quiet();
      assertEqual("The tasks of the next worker", next.started, ["unfinished"]);
      assertEqual("The tasks of the first worker", first.started.toSorted(), ["finished", "unfinished"]);
    },
  }),
  {
    title: "a task runs only on a node that serves it",
    needs: "createPeer",
    async run(context) {
      const engine = await context.open();
      await runServed(context, engine, await context.peerOf(engine));
    },
  },
];

type Work = ReturnType<CaseContext["work"]>;

function isDone({ started, running }: Work, taskId: string): boolean {
  return started.includes(taskId) && running.size === 0;
}

/** Returns a function that accepts the tasks of one tool. */
function serving(tool: string): (record: TaskRecord) => boolean {
  return (record) => record.tool === tool;
}

/** Checks that each of two workers gets the tasks that it serves, and that other tasks wait for a third one. */
async function runServed(context: CaseContext, engine: TaskEngine, peer: TaskEngine): Promise<void> {
  const idsOf = (tool: string) => Array.from({ length: 5 }, (_, n) => `${tool}-${n}`);
  const create = (tool: string) => idsOf(tool).map((taskId) => context.create(engine, { taskId, tool }));
  const finishOn = (node: TaskEngine) => (taskId: string) => context.change(node, taskId, finish);
  await Promise.all(["other", "a", "b"].flatMap(create));
  const workers = {
    a: context.work(engine, finishOn(engine), serving("a")),
    b: context.work(peer, finishOn(peer), serving("b")),
  };
  const hasEnded = ({ started, running }: Work) => started.length >= 5 && running.size === 0;
  await context.until("the tasks of both workers end", () => Object.values(workers).every(hasEnded));
  await context.quiet();
  for (const [tool, { started }] of Object.entries(workers))
    assertEqual(`The tasks of the worker for "${tool}"`, started.toSorted(), idsOf(tool));
  const last = context.work(peer, finishOn(peer), serving("other"));
  await context.until("the tasks that waited end", () => hasEnded(last));
  assertEqual("The tasks that waited", last.started.toSorted(), idsOf("other"));
}
