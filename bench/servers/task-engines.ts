/**
 * @fileoverview Measures tasks in its own process and prints the figures as one line of JSON. Arguments: the engine, the
 * number of tasks, and the number of waiting tasks.
 * @module bench/servers/task-engines
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { redis } from "../../packages/redis/dist/index.js";
import { defineServer, form } from "../../packages/tenon/dist/index.js";
import { tasks, type TasksOptions } from "../../packages/tenon/dist/tasks/index.js";
import { createClient } from "../../packages/tenon/dist/client/index.js";
import { processCpuUs } from "../lib/process-cpu.js";
import { REDIS_PID, REDIS_URL } from "./host-protocol.js";
import { INFO } from "./tools.js";

const [engine = "memory", count = "1000", waiting = "1000"] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "tenon-bench-tasks-"));

const ENGINES: Readonly<Record<string, TasksOptions>> = {
  inline: {},
  memory: {},
  "directory-no-sync": { directory, sync: false },
  directory: { directory },
  redis: {},
};

/** Times at which handlers started, by the number in their arguments. */
const starts: number[] = [];
let finished = 0;
let onFinished: (() => void) | undefined;

const ASK = form({ message: "Continue?", schema: z.object({ ok: z.boolean() }) });
const NUMBER = z.object({ value: z.number() });

const server = defineServer(INFO)
  .extension(tasks({ ...ENGINES[engine], maxTasks: 1_000_000, maxTotalBytes: 8 * 1024 ** 3 }))
  .tool("work", {
    task: "optional",
    input: NUMBER,
    handler: ({ value }) => {
      starts[value] = performance.now();
      finished++;
      if (finished === Number(count)) onFinished?.();
      return String(value);
    },
  })
  .tool("wait", {
    task: "required",
    input: NUMBER,
    handler: async (_args, call) => (await call.input("go", ASK)).action,
  })
  .build();

if (engine === "redis") await useRedis();

/** Connects the server to Redis, as `serve` does for a server with a store. */
async function useRedis(): Promise<void> {
  const store = redis({
    url: process.env[REDIS_URL] ?? "",
    prefix: `tasks-${process.pid}`,
    keys: ["a secret that only the benchmark uses"],
  });
  await store.open(() => undefined);
  const none = () => undefined;
  server.useCluster({ store, secrets: () => store.secrets(), publish: none, subscribe: none });
}

const extensions = engine === "inline" ? {} : { extensions: { "io.modelcontextprotocol/tasks": {} } };
const client = await createClient(server, {
  revision: "2026-07-28",
  capabilities: { ...extensions, elicitation: { form: {} } },
});
const call = (name: string, value: number) => client.request("tools/call", { name, arguments: { value } });

/** Returns the CPU time of Redis so far. */
function redisUs(): number {
  return engine === "redis" ? processCpuUs(Number(process.env[REDIS_PID])) : 0;
}

interface Slice {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly redisUs: number;
}

/** Creates tasks in batches, as clients do, and waits until all handlers have run. */
async function runTasks(total: number): Promise<Slice> {
  finished = 0;
  const redisBefore = redisUs();
  const done = new Promise<void>((resolve) => (onFinished = resolve));
  const cpu = process.cpuUsage();
  const start = performance.now();
  const ids: unknown[] = [];
  for (let value = 0; value < total; value += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, total - value) }, (_, index) =>
      call("work", value + index),
    );
    ids.push(...(await Promise.all(batch)).map(({ taskId }) => taskId));
  }
  await done;
  if (engine !== "inline") {
    for (let at = 0; at < ids.length; at += BATCH) {
      await Promise.all(ids.slice(at, at + BATCH).map((taskId) => settled(taskId)));
    }
  }
  const used = process.cpuUsage(cpu);
  return {
    wallMs: performance.now() - start,
    cpuMs: (used.user + used.system) / 1000,
    redisUs: redisUs() - redisBefore,
  };
}

const BATCH = 100;

async function settled(taskId: unknown): Promise<void> {
  for (;;) {
    const { status } = await client.request("tasks/get", { taskId });
    if (status === "completed") return;
    if (status !== "working") throw new Error(`A task ended as ${String(status)}.`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Measures the time from the response that creates a task to the start of its handler, one task at a time. */
async function pickups(total: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let value = 0; value < total; value++) {
    starts.length = 0;
    const asked = performance.now();
    const { taskId } = await call("work", value);
    await settled(taskId);
    times.push((starts[value] ?? Number.NaN) - asked);
  }
  return times;
}

/** Measures the heap that a task uses while it waits for an answer. */
async function heapPerWaitingTask(total: number): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const create = async (number: number) => {
    const made: unknown[] = [];
    for (let value = 0; value < number; value += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, number - value) }, (_, index) =>
        call("wait", index),
      );
      made.push(...(await Promise.all(batch)).map(({ taskId }) => taskId));
    }
    for (const taskId of made) {
      while ((await client.request("tasks/get", { taskId }))["status"] === "working")
        await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await create(100);
  collect();
  const before = process.memoryUsage().heapUsed;
  await create(total);
  collect();
  return (process.memoryUsage().heapUsed - before) / total;
}

await runTasks(Number(count));
const slices: Slice[] = [];
for (let slice = 0; slice < 5; slice++) slices.push(await runTasks(Number(count)));
const pickupMs = engine === "inline" ? [] : await pickups(500);
const waitingBytes = engine === "inline" ? undefined : await heapPerWaitingTask(Number(waiting));
process.stdout.write(`${JSON.stringify({ count: Number(count), slices, pickupMs, waitingBytes })}\n`);
server.close();
await client.close();
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
// The connections to Redis would keep the process alive.
if (engine === "redis") process.exit();
