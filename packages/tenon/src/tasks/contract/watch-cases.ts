/**
 * @fileoverview Contract cases for `watch`.
 * @module tenon/tasks/contract/watch-cases
 */
import type { CaseContext } from "./case-context.js";
import { assertEqual } from "./checks.js";
import { type CaseDefinition, defineEngineCases } from "./store-cases.js";
import type { TaskEngine } from "../engine/task-engine.js";

/** Cases for `watch`. */
export const WATCH_CASES: readonly CaseDefinition[] = [
  .../* @__PURE__ */ defineEngineCases({
    async "a watcher is called after every write, when the new record can be read"(engine, context) {
      await runWatch(context, engine, engine);
    },
    async "a task can be watched before it exists"(engine, context) {
      let calls = 0;
      await engine.watch("task", () => calls++);
      await context.create(engine, { taskId: "task" });
      const before = calls;
      await setMessage(context, engine, "changed");
      await context.until("the watcher is called", () => calls > before);
    },
    async "every watcher of a task is called, also if two are the same function"(engine, context) {
      await context.create(engine, { taskId: "task" });
      const calls = [0, 0];
      const same = () => void calls.splice(0, 1, (calls[0] ?? 0) + 1);
      const unwatch = await engine.watch("task", same);
      await engine.watch("task", same);
      await engine.watch("task", () => void calls.splice(1, 1, (calls[1] ?? 0) + 1));
      await setMessage(context, engine, "first");
      await context.until("all watchers are called", () => (calls[0] ?? 0) >= 2 && (calls[1] ?? 0) >= 1);
      unwatch();
      const [before = 0] = calls;
      await setMessage(context, engine, "second");
      await context.until("the other watcher is called", () => (calls[0] ?? 0) > before);
    },
    async "a watcher is not called after `unwatch` or for other tasks"(engine, context) {
      for (const taskId of ["task", "other"]) await context.create(engine, { taskId });
      let [calls, othersCalls, sentinel] = [0, 0, 0];
      const unwatch = await engine.watch("task", () => calls++);
      await engine.watch("other", () => othersCalls++);
      await engine.watch("task", () => sentinel++);
      unwatch();
      unwatch();
      await setMessage(context, engine, "changed");
      await context.until("the remaining watcher is called", () => sentinel > 0);
      await context.quiet();
      assertEqual("The calls after `unwatch`", calls, 0);
      assertEqual("The calls for the other task", othersCalls, 0);
    },
    async "100 watchers of 100 tasks are called for their own task"(engine, context) {
      const ids = Array.from({ length: 100 }, (_, n) => `task-${n}`);
      const called = new Map<string, number>();
      for (const taskId of ids) {
        await context.create(engine, { taskId });
        await engine.watch(taskId, () => called.set(taskId, (called.get(taskId) ?? 0) + 1));
      }
      const half = ids.filter((_, n) => n % 2 === 0);
      await Promise.all(half.map((taskId) => setMessage(context, engine, "changed", taskId)));
      await context.until("all watchers are called", () => half.every((taskId) => called.has(taskId)));
      assertEqual("The tasks with calls", [...called.keys()].toSorted(), half.toSorted());
    },
  }),
  {
    title: "a watcher is called after writes on another node",
    needs: "createPeer",
    async run(context) {
      const engine = await context.open();
      await runWatch(context, await context.peerOf(engine), engine);
    },
  },
];

/** Checks that a watcher on one node is called for each write on another. */
async function runWatch(context: CaseContext, watching: TaskEngine, writing: TaskEngine): Promise<void> {
  await context.create(writing, { taskId: "task" });
  const seen = new Set<string | null | undefined>();
  await watching.watch("task", () => {
    void watching.read("task").then((stored) => seen.add(stored?.record.statusMessage));
  });
  for (const message of ["first", "second", "third"]) {
    await setMessage(context, writing, message);
    await context.until(`the watcher can read "${message}"`, () => seen.has(message));
  }
}

function setMessage(
  context: CaseContext,
  engine: TaskEngine,
  ...[statusMessage, taskId = "task"]: readonly [string, string?]
): Promise<void> {
  return context.change(engine, taskId, (record) => ({ ...record, statusMessage }));
}
