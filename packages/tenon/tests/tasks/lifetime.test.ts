import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { form } from "../../src/index.js";
import type { TasksOptions } from "../../src/tasks/index.js";
import {
  accept,
  connect,
  createGate,
  createTaskClock,
  errorOf,
  taskServer,
  textOf,
} from "../support/tasks/task-client.js";

const SURE = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
const UNKNOWN = { code: -32602, message: "Unknown task. It may have expired." };

/** Connects to a server with a lifetime of 10 s, results that stay for 2 s, and a clock that stands still. */
async function setUp(options: TasksOptions = {}) {
  const clock = createTaskClock();
  const gate = createGate();
  const signals: AbortSignal[] = [];
  const server = taskServer({ ttlMs: 10_000, resultTtlMs: 2_000, ...options }, { ports: clock.ports })
    .tool("work", {
      task: "optional",
      async handler(_args, { signal }) {
        signals.push(signal);
        await gate.promise;
        return "done";
      },
    })
    .tool("ask", {
      task: "optional",
      handler: async (_args, call) => (await call.input("sure", SURE)).action,
    })
    .tool("quick", { task: "optional", handler: () => "quick" })
    .build();
  return { clock, gate, signals, server, ...(await connect(server)) };
}

const EXPIRED = {
  status: "failed",
  statusMessage: "The task did not finish within its lifetime of 10000 ms.",
  error: { code: -32603, message: "The task did not finish within its lifetime of 10000 ms." },
};

describe("a task that does not finish within its lifetime", () => {
  test("is working one millisecond before the end, and has failed at the end", async () => {
    const { clock, create, get } = await setUp();
    const taskId = await create("work");
    clock.advance(9_999);
    expect(await get(taskId)).toMatchObject({ status: "working", ttlMs: 10_000 });
    clock.advance(1);
    expect(await get(taskId)).toMatchObject({ ...EXPIRED, ttlMs: 12_000 });
  });

  test("can be read for `resultTtlMs`, and is unknown afterwards", async () => {
    const { clock, create, get } = await setUp();
    const taskId = await create("work");
    clock.advance(10_000);
    const failed = await get(taskId);
    clock.advance(1_999);
    expect(await get(taskId)).toEqual(failed);
    clock.advance(1);
    expect(await errorOf(get(taskId))).toEqual(UNKNOWN);
  });

  test("is deleted at the same time if nobody looked at it", async () => {
    const { clock, create, get } = await setUp();
    const first = await create("ask");
    const second = await create("ask");
    clock.advance(11_999);
    expect(await get(first)).toMatchObject(EXPIRED);
    clock.advance(1);
    expect(await errorOf(get(second))).toEqual(UNKNOWN);
  });

  test("aborts the signal of its handler, whose result is dropped", async () => {
    const { clock, gate, signals, create, get } = await setUp();
    const taskId = await create("work");
    await expect.poll(() => signals.length, { interval: 2 }).toBe(1);
    clock.advance(9_999);
    expect(signals[0]?.aborted).toBe(false);
    clock.advance(1);
    await expect.poll(() => signals[0]?.aborted, { interval: 2 }).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ name: "AbortError" });
    gate.open();
    const failed = await get(taskId);
    expect(failed).toMatchObject(EXPIRED);
    expect(await get(taskId)).toEqual(failed);
  });

  test("fails while it waits for answers, and later answers are ignored", async () => {
    const { clock, create, until, answer, get } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    clock.advance(10_000);
    const acknowledged = await answer(taskId, { sure: accept({ ok: true }) });
    expect(acknowledged).toMatchObject({ resultType: "complete" });
    const failed = await get(taskId);
    expect(failed).toMatchObject(EXPIRED);
    expect(failed).not.toHaveProperty("inputRequests");
  });

  test("fails while it is queued, and never runs", async () => {
    const { clock, gate, signals, create, get, settled } = await setUp({ concurrency: 1 });
    await create("work");
    await expect.poll(() => signals.length, { interval: 2 }).toBe(1);
    const queued = await create("work");
    clock.advance(10_000);
    expect(await get(queued)).toMatchObject(EXPIRED);
    gate.open();
    const quick = await create("quick");
    await settled(quick);
    expect(signals).toHaveLength(1);
  });

  test("is reported on a listen stream, although nobody reads it", async () => {
    const { clock, client, create, until } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    const stream = client.listen({ taskIds: [taskId] });
    onTestFinished(() => stream.stop());
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(2);
    clock.advance(9_999);
    clock.advance(1);
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(3);
    expect(client.notifications[2]).toMatchObject({ method: "notifications/tasks", params: EXPIRED });
  });

  test("does not change when it is cancelled later", async () => {
    const { clock, create, cancel, get } = await setUp();
    const taskId = await create("ask");
    clock.advance(10_000);
    expect(await cancel(taskId)).toMatchObject({ resultType: "complete" });
    expect(await get(taskId)).toMatchObject(EXPIRED);
  });
});

describe("a finished task", () => {
  test("stays for its lifetime if that is longer than `resultTtlMs`", async () => {
    const { clock, create, settled, get } = await setUp();
    const taskId = await create("quick");
    const done = await settled(taskId);
    expect(done.ttlMs).toBe(10_000);
    clock.advance(9_999);
    expect(await get(taskId)).toEqual(done);
    clock.advance(1);
    expect(await errorOf(get(taskId))).toEqual(UNKNOWN);
  });

  test("stays for `resultTtlMs` if it finished late, and says so in `ttlMs`", async () => {
    const { clock, gate, create, settled, get } = await setUp();
    const taskId = await create("work");
    clock.advance(9_500);
    gate.open();
    const done = await settled(taskId);
    expect(done).toMatchObject({ status: "completed", ttlMs: 11_500 });
    clock.advance(1_999);
    expect(await get(taskId)).toEqual(done);
    clock.advance(1);
    expect(await errorOf(get(taskId))).toEqual(UNKNOWN);
  });

  test("gets a lifetime if it had none, so that it does not stay forever", async () => {
    const { clock, create, settled, get } = await setUp({ ttlMs: null, resultTtlMs: 60_000 });
    const taskId = await create("quick");
    const done = await settled(taskId);
    expect(done.ttlMs).toBe(60_000);
    clock.advance(59_999);
    expect(await get(taskId)).toEqual(done);
    clock.advance(1);
    await expect(get(taskId)).rejects.toThrow("Unknown task");
  });
});

test("a task without a lifetime waits for its answer for as long as it takes", async () => {
  const { clock, create, until, answer, settled } = await setUp({ ttlMs: null });
  const taskId = await create("ask");
  await until(taskId, "input_required");
  clock.advance(365 * 86_400_000);
  await answer(taskId, { sure: accept({ ok: true }) });
  expect(textOf((await settled(taskId)).result)).toBe("accept");
});

test("a lifetime that is longer than any timer does not end at once", async () => {
  const { clock, gate, client, signals, create, settled } = await setUp({ ttlMs: 2 ** 40 });
  const taskId = await create("work");
  await expect.poll(() => signals.length, { interval: 2 }).toBe(1);
  const stream = client.listen({ taskIds: [taskId] });
  onTestFinished(() => stream.stop());
  await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(2);
  clock.advance(2 ** 32);
  gate.open();
  expect((await settled(taskId)).status).toBe("completed");
});

test("no timer is left when all tasks have finished", async () => {
  const { clock, gate, client, create, settled } = await setUp();
  const before = clock.timers();
  const ids = [await create("work"), await create("quick")];
  const stream = client.listen({ taskIds: ids });
  onTestFinished(() => stream.stop());
  gate.open();
  for (const taskId of ids) await settled(taskId);
  await expect.poll(() => clock.timers(), { interval: 2 }).toBe(before);
});

test("a clock that goes back does not move `lastUpdatedAt` back", async () => {
  const { clock, gate, create, settled } = await setUp();
  const taskId = await create("work");
  clock.advance(-60_000);
  gate.open();
  const { status, createdAt, lastUpdatedAt } = await settled(taskId);
  expect(status).toBe("completed");
  expect(lastUpdatedAt).toBe(createdAt);
});
