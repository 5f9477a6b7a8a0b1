import { describe, expect, test } from "vitest";
import type { Call } from "../../src/index.js";
import { createTaskEngine, type TaskEngine, type TasksOptions } from "../../src/tasks/index.js";
import {
  connect,
  errorOf,
  createGate,
  createTaskClock,
  taskServer,
  turn,
} from "../support/tasks/task-client.js";

/** Connects to a server with one running task, one queued task, and a clock that stands still. */
async function setUp(options: TasksOptions = {}) {
  const clock = createTaskClock();
  const engine = createTaskEngine({ concurrency: 1, ports: clock.ports });
  const gate = createGate();
  const signals: AbortSignal[] = [];
  const server = taskServer({ engine, closeGraceMs: 5_000, ...options }, { ports: clock.ports })
    .tool("work", {
      task: "optional",
      handler: (_args, { signal }) => {
        signals.push(signal);
        return new Promise<string>((resolve, reject) => {
          gate.promise.then(() => resolve("done"), reject);
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        });
      },
    })
    .build();
  const client = await connect(server);
  const running = await client.create("work");
  await expect.poll(() => signals.length, { interval: 2 }).toBe(1);
  const queued = await client.create("work");
  return { clock, engine, gate, signals, server, client, running, queued };
}

const recordOf = async (engine: TaskEngine, taskId: string) => (await engine.read(taskId))?.record;

describe("a server that closes", () => {
  test("lets a running task finish", async () => {
    const { clock, engine, gate, signals, server, running } = await setUp();
    server.close();
    clock.advance(4_999);
    await turn();
    expect(signals[0]?.aborted).toBe(false);
    gate.open();
    await expect
      .poll(async () => (await recordOf(engine, running))?.status, { interval: 2 })
      .toBe("completed");
    expect(signals[0]?.aborted).toBe(false);
  });

  test("aborts the signal after the grace period, and leaves the task to the next worker", async () => {
    const { clock, engine, signals, server, running } = await setUp();
    server.close();
    clock.advance(5_000);
    await expect.poll(() => signals[0]?.aborted, { interval: 2 }).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ name: "AbortError", message: "The server is closing." });
    await turn();
    expect(await recordOf(engine, running)).toMatchObject({
      status: "working",
      isRunning: true,
      error: null,
    });
  });

  test("is idle when its running tasks have ended", async () => {
    const { engine, gate, server, running } = await setUp();
    let isIdle = false;
    server.close();
    const idle = server.idle().then(() => (isIdle = true));
    await turn();
    expect(isIdle).toBe(false);
    gate.open();
    await idle;
    expect(await recordOf(engine, running)).toMatchObject({ status: "completed" });
  });

  test("does not start queued tasks", async () => {
    const { engine, gate, signals, server, running, queued } = await setUp();
    server.close();
    gate.open();
    await expect
      .poll(async () => (await recordOf(engine, running))?.status, { interval: 2 })
      .toBe("completed");
    await turn();
    expect(signals).toHaveLength(1);
    expect(await recordOf(engine, queued)).toMatchObject({ status: "working", isRunning: false });
  });

  test("still cancels a task as cancelled during the grace period", async () => {
    const { engine, server, client, running } = await setUp();
    server.close();
    await client.cancel(running);
    await expect
      .poll(async () => (await recordOf(engine, running))?.status, { interval: 2 })
      .toBe("cancelled");
  });

  test("leaves its queued tasks to another server on the same engine", async () => {
    const { engine, gate, server, queued } = await setUp();
    server.close();
    gate.open();
    const next = taskServer({ engine })
      .tool("work", { task: "optional", handler: () => "by the next server" })
      .build();
    const { settled } = await connect(next);
    expect(await settled(queued)).toMatchObject({
      status: "completed",
      result: { content: [{ text: "by the next server" }] },
    });
  });

  test.each([
    [
      "fail",
      { status: "failed", error: { code: -32603, message: "The worker stopped before the task finished." } },
    ],
    ["retry", { status: "completed", result: { content: [{ text: "by the next server" }] } }],
  ] as const)(
    "leaves a running task to the next server, which applies `%s`",
    async (onLostWorker, outcome) => {
      const clock = createTaskClock();
      const engine = createTaskEngine({ ports: clock.ports });
      const started = createGate();
      const serverOf = (handler: (call: Call) => Promise<string>) =>
        taskServer({ engine, closeGraceMs: 5_000 }, { ports: clock.ports })
          .tool("work", { task: { mode: "required", onLostWorker }, handler: (_args, call) => handler(call) })
          .build();
      const first = serverOf(
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            started.open();
            signal.addEventListener("abort", () => reject(signal.reason as Error));
          }),
      );
      const taskId = await (await connect(first)).create("work");
      await started.promise;
      first.close();
      clock.advance(5_000);
      const { settled } = await connect(serverOf(async () => "by the next server"));
      expect(await settled(taskId)).toMatchObject(outcome);
    },
  );

  test("has no timers left when its tasks have ended", async () => {
    const { clock, engine, gate, server, running } = await setUp();
    server.close();
    gate.open();
    await expect
      .poll(async () => (await recordOf(engine, running))?.status, { interval: 2 })
      .toBe("completed");
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(0);
  });

  test("with `closeGraceMs: 0` aborts at once", async () => {
    const { signals, server } = await setUp({ closeGraceMs: 0 });
    server.close();
    await expect.poll(() => signals[0]?.aborted, { interval: 2 }).toBe(true);
  });
});

test("a server without tasks can be closed at any time", async () => {
  const server = taskServer()
    .tool("work", { task: "optional", handler: () => "" })
    .build();
  server.close();
  const { call } = await connect(server);
  expect(await errorOf(call("work"))).toEqual({
    code: -32603,
    message: "The server is closing. Try again later.",
  });
});
