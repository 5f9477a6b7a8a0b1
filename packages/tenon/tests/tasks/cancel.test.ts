import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Call, errorResult, form, RequestError } from "../../src/index.js";
import { accept, connect, createGate, taskServer, textOf } from "../support/tasks/task-client.js";

const SURE = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
const ACK = { resultType: "complete" };

/** Creates a server whose only tool runs `handler`. `started` resolves when it runs for the first time. */
function serverOf(handler: (call: Call) => unknown, concurrency = 4) {
  const started = createGate();
  const server = taskServer({ concurrency })
    .tool("work", {
      task: "optional",
      handler: async (_args, call) => {
        started.open();
        return (await handler(call)) as string;
      },
    })
    .build();
  return { server, started: started.promise };
}

/** Resolves when the signal aborts. */
const aborted = ({ signal }: Call) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });

describe("cancelling a task", () => {
  test("that is queued ends it, and its handler never runs", async () => {
    const gate = createGate();
    let runs = 0;
    const { server } = serverOf(async () => {
      runs++;
      await gate.promise;
      return "done";
    }, 1);
    const { create, cancel, get, settled } = await connect(server);
    const first = await create("work");
    const second = await create("work");
    expect(await cancel(second)).toMatchObject(ACK);
    const task = await get(second);
    expect(task.status).toBe("cancelled");
    for (const member of ["result", "error", "inputRequests"]) expect(task).not.toHaveProperty(member);
    gate.open();
    await settled(first);
    expect(runs).toBe(1);
    expect(await get(second)).toEqual(task);
  });

  test("that runs aborts the signal, and the task is cancelled when the handler throws the reason", async () => {
    let reason: unknown;
    const { server, started } = serverOf(async (call) => {
      await aborted(call);
      ({ reason } = call.signal);
      throw reason;
    });
    const { create, cancel, settled } = await connect(server);
    const taskId = await create("work");
    await started;
    expect(await cancel(taskId)).toMatchObject(ACK);
    const task = await settled(taskId);
    expect(task.status).toBe("cancelled");
    for (const member of ["result", "error"]) expect(task).not.toHaveProperty(member);
    expect(reason).toMatchObject({ name: "AbortError", message: "The task was cancelled." });
  });

  test.each<[string, () => unknown]>([
    ["an unexpected error", () => new Error("socket closed")],
    ["a RequestError", () => new RequestError("SERVICE_UNAVAILABLE", "Stopped.")],
  ])("that runs is cancelled if the handler then throws %s", async (_what, error) => {
    const { server, started } = serverOf(async (call) => {
      await aborted(call);
      throw error();
    });
    const { create, cancel, settled } = await connect(server);
    const taskId = await create("work");
    await started;
    await cancel(taskId);
    expect(await settled(taskId)).toMatchObject({ status: "cancelled" });
  });

  test.each<[string, unknown]>([
    ["a result", "finished anyway"],
    ["an error result", errorResult("finished anyway")],
  ])("does not change the outcome of a handler that ignores it and returns %s", async (_what, result) => {
    const gate = createGate();
    const { server, started } = serverOf(async () => {
      await gate.promise;
      return result;
    });
    const { create, cancel, get, settled } = await connect(server);
    const taskId = await create("work");
    await started;
    expect(await cancel(taskId)).toMatchObject(ACK);
    expect(await get(taskId)).toMatchObject({ status: "working" });
    gate.open();
    const task = await settled(taskId);
    expect(task.status).toBe("completed");
    expect(textOf(task.result)).toBe("finished anyway");
  });

  test("that waits for answers ends it at once", async () => {
    let runs = 0;
    const { server } = serverOf((call) => {
      runs++;
      return call.input("sure", SURE);
    });
    const { create, until, cancel, get, answer } = await connect(server);
    const taskId = await create("work");
    await until(taskId, "input_required");
    expect(await cancel(taskId)).toMatchObject(ACK);
    const task = await get(taskId);
    expect(task.status).toBe("cancelled");
    expect(task).not.toHaveProperty("inputRequests");
    expect(await answer(taskId, { sure: accept({ ok: true }) })).toMatchObject(ACK);
    expect(await get(taskId)).toEqual(task);
    expect(runs).toBe(1);
  });

  test("that is about to ask ends it, and the question is not asked", async () => {
    const gate = createGate();
    const { server, started } = serverOf(async (call) => {
      void call.input("sure", SURE);
      await gate.promise;
      return "asked before";
    });
    const { create, cancel, settled } = await connect(server);
    const taskId = await create("work");
    await started;
    await cancel(taskId);
    gate.open();
    expect((await settled(taskId)).status).toBe("cancelled");
  });

  test("that has finished is acknowledged and changes nothing", async () => {
    const { server } = serverOf(() => "done");
    const { run, cancel, get } = await connect(server);
    const task = await run("work");
    expect(await cancel(task.taskId)).toMatchObject(ACK);
    expect(await get(task.taskId)).toEqual(task);
  });

  test("twice is acknowledged twice", async () => {
    let aborts = 0;
    const gate = createGate();
    const { server, started } = serverOf(async (call) => {
      call.signal.addEventListener("abort", () => aborts++);
      await aborted(call);
      await gate.promise;
      throw call.signal.reason;
    });
    const { create, cancel, settled } = await connect(server);
    const taskId = await create("work");
    await started;
    expect(await cancel(taskId)).toMatchObject(ACK);
    expect(await cancel(taskId)).toMatchObject(ACK);
    gate.open();
    const task = await settled(taskId);
    expect(task.status).toBe("cancelled");
    expect(await cancel(taskId)).toMatchObject(ACK);
    expect(aborts).toBe(1);
  });

  test("stops a streaming tool, and its `finally` block runs", async () => {
    const gate = createGate();
    const log: string[] = [];
    const server = taskServer()
      .tool("stream", {
        task: "optional",
        async *handler(_args, call) {
          try {
            yield "one";
            await aborted(call);
            gate.open();
            yield "two";
            log.push("went on");
            yield "three";
          } finally {
            log.push("finally");
          }
        },
      })
      .build();
    const { create, get, cancel, settled } = await connect(server);
    const taskId = await create("stream");
    await expect.poll(async () => (await get(taskId)).statusMessage, { interval: 2 }).toBe("one");
    await cancel(taskId);
    await gate.promise;
    expect((await settled(taskId)).status).toBe("cancelled");
    expect(log).toEqual(["finally"]);
  });

  test("has no effect on the handler's other tasks", async () => {
    const gates = [createGate(), createGate()];
    const signals: AbortSignal[] = [];
    const { server } = serverOf(async ({ signal }) => {
      const index = signals.push(signal) - 1;
      await gates[index]?.promise;
      return "done";
    });
    const { create, cancel, settled } = await connect(server);
    const first = await create("work");
    await expect.poll(() => signals.length, { interval: 2 }).toBe(1);
    const second = await create("work");
    await expect.poll(() => signals.length, { interval: 2 }).toBe(2);
    await cancel(first);
    await expect.poll(() => signals[0]?.aborted, { interval: 2 }).toBe(true);
    expect(signals[1]?.aborted).toBe(false);
    for (const gate of gates) gate.open();
    expect((await settled(second)).status).toBe("completed");
  });

  test("by `notifications/cancelled` or a closed connection is not possible", async () => {
    const gate = createGate();
    const { server, started } = serverOf(async () => {
      await gate.promise;
      return "done";
    });
    const creator = await connect(server);
    const taskId = await creator.create("work");
    await started;
    for (let requestId = 1; requestId < 5; requestId++)
      await creator.client.notify("notifications/cancelled", { requestId });
    await creator.client.close();
    const { get, settled } = await connect(server);
    expect((await get(taskId)).status).toBe("working");
    gate.open();
    expect((await settled(taskId)).status).toBe("completed");
  });
});

describe("after a task was cancelled", () => {
  test.each<[string, (call: Call) => Promise<unknown>]>([
    ["progress", (call) => call.progress(1)],
    ["once", (call) => call.once("step", () => effects.push("step"))],
    ["input", (call) => call.input("sure", SURE)],
    ["sample", (call) => call.sample("sample", { messages: [], maxTokens: 1 })],
    ["roots", (call) => call.roots("roots")],
  ])("`call.%s` throws, so that the handler stops", async (_name, use) => {
    effects.length = 0;
    let caught: unknown;
    const { server, started } = serverOf(async (call) => {
      await aborted(call);
      try {
        await use(call);
      } catch (error) {
        caught = error;
        throw error;
      }
      return "went on";
    });
    const { create, cancel, settled } = await connect(server);
    const taskId = await create("work");
    await started;
    await cancel(taskId);
    expect((await settled(taskId)).status).toBe("cancelled");
    expect(caught).toMatchObject({ name: "AbortError", message: "The task was cancelled." });
    expect(effects).toEqual([]);
  });
  const effects: string[] = [];

  test("a step that was running is still recorded, and the next one does not start", async () => {
    const gate = createGate();
    const done: string[] = [];
    const { server, started } = serverOf(async (call) => {
      await call.once("one", async () => {
        await gate.promise;
        done.push("one");
      });
      await call.once("two", () => void done.push("two"));
      return "done";
    });
    const { create, cancel, settled } = await connect(server);
    const taskId = await create("work");
    await started;
    await cancel(taskId);
    gate.open();
    expect((await settled(taskId)).status).toBe("cancelled");
    expect(done).toEqual(["one"]);
  });
});
