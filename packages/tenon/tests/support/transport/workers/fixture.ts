/**
 * @fileoverview Server with workers, as a program. `OPTIONS` contains further options for `serve`, as JSON.
 * @module tests/tenon/support/transport/workers/fixture
 */
import cluster from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import { defineServer } from "tenon";
import { serve } from "tenon/node";
import { createMemoryStore } from "tenon/stores";
import { tasks } from "tenon/tasks";
import { z } from "zod";

const { OPTIONS = "{}", FAIL_WORKERS, FAIL_LATER, FAIL_STORE, TASK_DIRECTORY: directory } = process.env;
const { isWorker } = cluster;
if (isWorker && FAIL_WORKERS !== undefined) process.exit(7);

const server = defineServer({ name: "workers", version: "1.0.0" })
  .extension(tasks({ pollIntervalMs: 10, ...(directory === undefined ? {} : { directory }) }))
  .tool("pid", { handler: () => String(process.pid) })
  .tool("wait", {
    input: z.object({ ms: z.number() }),
    handler: async ({ ms }) => {
      await sleep(ms);
      return String(process.pid);
    },
  })
  .tool("job", {
    input: z.object({ ms: z.number() }),
    task: { mode: "required", onLostWorker: "retry" },
    handler: async ({ ms }) => {
      await sleep(ms);
      return String(process.pid);
    },
  });

const unavailable = { ...createMemoryStore(), open: () => Promise.reject(new Error("The store is away.")) };
const running = await serve(server, {
  port: 0,
  workers: 2,
  metrics: true,
  // Safe: the tests write it
  ...(JSON.parse(OPTIONS) as object),
  ...(isWorker && FAIL_STORE === "now" ? { store: unavailable } : {}),
});
// Workers that are started from now on fail.
if (!isWorker && FAIL_LATER !== undefined) process.env["FAIL_WORKERS"] = "1";
// The store is away for the first worker that is replaced.
if (!isWorker && FAIL_STORE === "later") {
  process.env["FAIL_STORE"] = "now";
  let exits = 0;
  cluster.on("exit", () => {
    if (++exits === 2) delete process.env["FAIL_STORE"];
  });
}
process.stdout.write(`${isWorker ? "worker" : "primary"} ${process.pid} ${running.url ?? ""}\n`);
await running.closed;
process.stdout.write(`closed ${process.pid}\n`);
