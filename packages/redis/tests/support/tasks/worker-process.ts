/**
 * @fileoverview Node that runs tasks, for tests that kill it. In the mode `hold`, the first run of a task does not end.
 *
 * Arguments: URL, prefix, and mode. Messages to the parent: `ready`, or the ID of a task whose run begins.
 * @module tests/redis/support/tasks/worker-process
 */
import type { TaskRecord } from "tenon/tasks";
import { TaskStore } from "../../../../tenon/src/tasks/running/task-store.js";
import { beginRun, complete, isCurrent } from "../../../../tenon/src/tasks/state/transitions.js";
import { systemPorts } from "@tenon/internal/ports";
import { openNode } from "./engines.js";

const [url = "", prefix = "", mode] = process.argv.slice(2);
const { engine } = await openNode({ url, prefix });
const store = new TaskStore(engine, systemPorts);
const released = new Promise((resolve) => process.once("message", resolve));

engine.work({
  async run(taskId) {
    let run = 0;
    const record = await store.change(taskId, (current, now) => {
      const next = beginRun(current, now, `${process.pid} ${current.run}`);
      run = next?.isRunning === true ? next.run : 0;
      return next;
    });
    process.send?.({ taskId, at: Date.now(), run });
    if (record === undefined || run === 0) return;
    if (mode === "hold" && run === 1) await released;
    const finish = (current: TaskRecord, now: number) =>
      isCurrent(current, run) ? complete(current, now, JSON.stringify({ by: mode, run })) : undefined;
    await store.change(taskId, finish);
  },
  report: (error) => process.send?.({ report: String(error) }),
});
process.send?.("ready");
