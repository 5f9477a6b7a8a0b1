import { describe, expect, test } from "vitest";
import { z } from "zod";
import { form } from "../../src/index.js";
import { createTaskEngine, type TaskEngine, TaskEngineError } from "../../src/tasks/index.js";
import {
  accept,
  connect,
  createErrorLog,
  createGate,
  createTaskClock,
  errorOf,
  taskServer,
  textOf,
} from "../support/tasks/task-client.js";

const SURE = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
const SECRET = "redis://user:hunter2@cache";
const INTERNAL = { code: -32603, message: "Internal error" };
const UNAVAILABLE = {
  code: -32603,
  message: "Tasks are not available at the moment. Try again later.",
};

/** Connects to a server whose engine has some methods that fail while the test says so. */
async function setUp() {
  const clock = createTaskClock();
  const broken = new Map<string, () => Promise<never>>();
  let isReplyLost = false;
  const inner = createTaskEngine({ ports: clock.ports });
  const guarded =
    <Args extends readonly unknown[], Result>(name: string, method: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      broken.get(name)?.() ?? method(...args);
  const engine: TaskEngine = {
    create: guarded("create", (record) => inner.create(record)),
    read: guarded("read", (taskId) => inner.read(taskId)),
    write: guarded("write", async (change) => {
      const isWritten = await inner.write(change);
      if (!isReplyLost) return isWritten;
      isReplyLost = false;
      throw new TaskEngineError("unavailable", SECRET);
    }),
    watch: guarded("watch", (taskId, listener) => inner.watch(taskId, listener)),
    work: (worker) => inner.work(worker),
    close: () => inner.close(),
  };
  const { errors, log } = createErrorLog();
  const gate = createGate();
  const steps: string[] = [];
  const server = taskServer({ engine, ttlMs: 10_000 }, { log, ports: clock.ports })
    .tool("work", {
      task: "optional",
      async handler() {
        await gate.promise;
        return "done";
      },
    })
    .tool("ask", {
      task: "optional",
      handler: async (_args, call) => (await call.input("sure", SURE)).action,
    })
    .tool("step", {
      task: "optional",
      async handler(_args, call) {
        await gate.promise;
        return String(await call.once("step", () => steps.push("step")));
      },
    })
    .build();
  const fail = (name: keyof TaskEngine, error: () => Error = () => new Error(SECRET)) =>
    broken.set(name, () => Promise.reject(error()));
  const repair = () => broken.clear();
  /** Stores the next write, but reports that it failed. */
  const loseReply = () => {
    isReplyLost = true;
  };
  return { ...(await connect(server)), clock, broken, errors, gate, steps, fail, repair, loseReply };
}

describe("an engine that fails", () => {
  test("to create a task: the call fails without the reason, which is logged", async () => {
    const { call, run, errors, fail, repair, gate } = await setUp();
    fail("create");
    expect(await errorOf(call("work"))).toEqual(INTERNAL);
    expect(errors.map(String)).toEqual([`Error: ${SECRET}`]);
    repair();
    gate.open();
    expect((await run("work")).status).toBe("completed");
  });

  test("to read: the methods fail with an internal error, and work again later", async () => {
    const { client, create, get, until, errors, fail, repair } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    fail("read");
    const params = { taskId, inputResponses: {} };
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      expect(await errorOf(client.request(method, params))).toEqual(INTERNAL);
    const notifications = { taskIds: [taskId] };
    expect(await errorOf(client.request("subscriptions/listen", { notifications }))).toEqual(INTERNAL);
    expect(errors.map(String)).toEqual(Array(4).fill(`Error: ${SECRET}`));
    repair();
    expect((await get(taskId)).status).toBe("input_required");
  });

  test("to write an answer: the client can send it again", async () => {
    const { create, until, answer, get, settled, fail, repair } = await setUp();
    const taskId = await create("ask");
    const asked = await until(taskId, "input_required");
    fail("write", () => new TaskEngineError("unavailable", SECRET));
    expect(await errorOf(answer(taskId, { sure: accept({ ok: true }) }))).toEqual(UNAVAILABLE);
    repair();
    expect(await get(taskId)).toEqual(asked);
    await answer(taskId, { sure: accept({ ok: true }) });
    expect(textOf((await settled(taskId)).result)).toBe("accept");
  });

  test("to write because others are always faster: the change is given up", async () => {
    const { create, until, cancel, get, broken, errors, repair } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    let attempts = 0;
    broken.set("write", async () => {
      attempts++;
      return false as never;
    });
    expect(await errorOf(cancel(taskId))).toEqual(UNAVAILABLE);
    expect(attempts).toBe(100);
    expect(String(errors[0])).toBe(
      `TaskEngineError: A task changes too often to be written (ID ${taskId.slice(0, 6)}…).`,
    );
    repair();
    await cancel(taskId);
    expect((await get(taskId)).status).toBe("cancelled");
  });

  test("to store an outcome: it is logged, and the task fails when its lifetime ends", async () => {
    const { create, get, clock, errors, gate, fail, repair } = await setUp();
    const taskId = await create("work");
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(1);
    fail("write");
    gate.open();
    // Each retry waits for a timer, in addition to the one for the end of the lifetime.
    for (let delay = 100; delay <= 1_600; delay *= 2) {
      await expect.poll(() => clock.timers(), { interval: 2 }).toBe(2);
      expect(errors.map(String)).toEqual([`Error: ${SECRET}`]);
      clock.advance(delay);
    }
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(2);
    expect((await get(taskId)).status).toBe("working");
    repair();
    clock.advance(10_000);
    expect(await get(taskId)).toMatchObject({ status: "failed", error: { code: -32603 } });
  });

  test("to store an outcome for a moment: it is stored later", async () => {
    const { create, get, settled, clock, errors, gate, fail, repair } = await setUp();
    const taskId = await create("work");
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(1);
    fail("write");
    gate.open();
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(2);
    expect((await get(taskId)).status).toBe("working");
    repair();
    clock.advance(100);
    expect((await settled(taskId)).status).toBe("completed");
    expect(errors.map(String)).toEqual([`Error: ${SECRET}`]);
  });

  test("to record a step for a moment: the step waits, and runs once", async () => {
    const { create, settled, clock, gate, errors, steps, fail, repair } = await setUp();
    const taskId = await create("step");
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(1);
    fail("write");
    gate.open();
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(2);
    expect(steps).toEqual([]);
    repair();
    clock.advance(100);
    expect(textOf((await settled(taskId)).result)).toBe("1");
    expect(errors.map(String)).toEqual([`Error: ${SECRET}`]);
  });

  test("to record a step of a task that is cancelled: the step does not run", async () => {
    const { create, cancel, get, clock, gate, steps, fail, repair } = await setUp();
    const taskId = await create("step");
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(1);
    fail("write");
    gate.open();
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(2);
    repair();
    await cancel(taskId);
    clock.advance(100);
    await expect.poll(async () => (await get(taskId)).status, { interval: 2 }).toBe("cancelled");
    expect(steps).toEqual([]);
  });

  test("to confirm the start of a run that was stored: the handler runs, and no worker counts as lost", async () => {
    const { create, settled, clock, gate, loseReply } = await setUp();
    loseReply();
    gate.open();
    const taskId = await create("work");
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(1);
    clock.advance(100);
    expect(await settled(taskId)).toMatchObject({ status: "completed" });
  });

  test("to confirm the start of a step that was stored: the step runs once", async () => {
    const { create, settled, clock, gate, steps, loseReply } = await setUp();
    const taskId = await create("step");
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(1);
    loseReply();
    gate.open();
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(2);
    clock.advance(100);
    expect(textOf((await settled(taskId)).result)).toBe("1");
    expect(steps).toEqual(["step"]);
  });

  test("to watch a task: a listen stream stays open for the others, and the reason is logged", async () => {
    const { client, create, until, errors, fail, repair } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    fail("watch");
    const stream = client.listen({ taskIds: [taskId], toolsListChanged: true });
    await expect.poll(() => errors.map(String), { interval: 2 }).toEqual([`Error: ${SECRET}`]);
    expect(client.notifications.map(({ method }) => method)).toEqual([
      "notifications/subscriptions/acknowledged",
    ]);
    repair();
    stream.stop();
    expect(await stream.ended).toBeUndefined();
  });
});

test("IDs that cannot exist never reach the engine", async () => {
  const { get, broken } = await setUp();
  let reads = 0;
  broken.set("read", async () => {
    reads++;
    throw new Error(SECRET);
  });
  expect(await errorOf(get("x".repeat(129)))).toMatchObject({ code: -32602 });
  expect(reads).toBe(0);
  expect(await errorOf(get("x".repeat(128)))).toEqual(INTERNAL);
  expect(reads).toBe(1);
});

test("a finished task keeps neither its arguments nor its answers", async () => {
  const engine = createTaskEngine();
  const server = taskServer({ engine })
    .tool("ask", {
      task: "optional",
      input: z.object({ secret: z.string() }),
      async handler(_args, call) {
        await call.once("step", () => "secret of the step");
        return (await call.input("sure", form({ message: "?", schema: z.object({ pin: z.string() }) })))
          .action;
      },
    })
    .build();
  const { create, until, answer, settled } = await connect(server);
  const taskId = await create(
    "ask",
    { secret: "secret argument" },
    { _meta: { "com.example/key": "secret" } },
  );
  await until(taskId, "input_required");
  expect(JSON.stringify(await engine.read(taskId))).toContain("secret of the step");
  await answer(taskId, { sure: accept({ pin: "secret pin" }) });
  await settled(taskId);
  expect(JSON.stringify(await engine.read(taskId))).not.toContain("secret");
});
