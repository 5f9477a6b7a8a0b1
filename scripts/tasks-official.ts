/**
 * @fileoverview `npm run tasks:official -- --count 10000`: runs tasks with the official client over HTTP. Some tasks ask
 * questions, fail, or are cancelled. Fails if a task does not end as expected.
 * @module scripts/tasks-official
 */
import { parseArgs } from "node:util";
import { serve } from "tenon/node";
import { runManyTasks } from "../tools/official-clients/many-tasks.js";
import { createTasksServer } from "../tools/official-clients/tasks-server.js";

const { values } = parseArgs({ options: { count: { type: "string", default: "10000" } } });
const count = Number(values.count);
// Finished tasks stay readable, so the engine must keep all of them. Callers without authentication get three quarters.
const running = await serve(createTasksServer({ maxTasks: 2 * count }), {
  transport: { type: "http", port: 0 },
  signals: false,
});
const { expected, unexpected, statuses, questions, seconds } = await runManyTasks(
  new URL(running.url ?? ""),
  { count, clients: 40, tasksPerClient: 5 },
);
await running.close();
for (const line of unexpected.slice(0, 20)) console.log(line);
const counts = Object.entries(statuses).map(([status, number]) => `${number} ${status}`);
console.log(`${expected} of ${count} tasks ended as expected in ${seconds.toFixed(1)} s.`);
console.log(`${counts.join(", ")}; ${questions} questions answered.`);
process.exitCode = expected === count ? 0 : 1;
