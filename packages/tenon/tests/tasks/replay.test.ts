import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Call, form, McpError, RequestError } from "../../src/index.js";
import {
  accept,
  connect,
  createGate,
  createTaskClock,
  taskServer,
  textOf,
  turn,
} from "../support/tasks/task-client.js";

const SURE = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
const yes = accept({ ok: true });

const ask = async (call: Call, key: string) => (await call.input(key, SURE)).action;

describe("`call.once` in a task", () => {
  test("a step runs once, although the handler runs again after each question", async () => {
    const effects: string[] = [];
    const server = taskServer()
      .tool("order", {
        task: "optional",
        async handler(_args, call) {
          effects.push("run");
          const order = await call.once("order", () => {
            effects.push("order");
            return { id: 7, at: new Date(0) };
          });
          await ask(call, "first");
          const nothing = await call.once("notify", () => void effects.push("notify"));
          await ask(call, "second");
          return JSON.stringify([order, nothing === undefined]);
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("order");
    for (const key of ["first", "second"]) {
      await until(taskId, "input_required");
      await answer(taskId, { [key]: yes });
    }
    expect(textOf((await settled(taskId)).result)).toBe('[{"id":7,"at":"1970-01-01T00:00:00.000Z"},true]');
    expect(effects).toEqual(["run", "order", "run", "notify", "run"]);
  });

  test("a step with the same key in one run is not repeated", async () => {
    let count = 0;
    const server = taskServer()
      .tool("twice", {
        task: "optional",
        async handler(_args, call) {
          const step = () => call.once("step", () => ++count);
          return (await Promise.all([step(), step()])).join();
        },
      })
      .build();
    const { run } = await connect(server);
    expect(textOf((await run("twice")).result)).toBe("1,1");
  });

  test("steps that are running when the handler asks are recorded", async () => {
    let count = 0;
    const gate = createGate();
    const server = taskServer()
      .tool("parallel", {
        task: "optional",
        async handler(_args, call) {
          const step = call.once("slow", async () => {
            await gate.promise;
            return ++count;
          });
          await ask(call, "sure");
          return String(await step);
        },
      })
      .build();
    const { create, get, until, answer, settled } = await connect(server);
    const taskId = await create("parallel");
    expect((await get(taskId)).status).toBe("working");
    gate.open();
    await until(taskId, "input_required");
    await answer(taskId, { sure: yes });
    expect(textOf((await settled(taskId)).result)).toBe("1");
    expect(count).toBe(1);
  });

  test("a step that asks is repeated until it has its answer, and then recorded", async () => {
    const effects: string[] = [];
    const server = taskServer()
      .tool("nested", {
        task: "optional",
        async handler(_args, call) {
          const answer = await call.once("step", async () => {
            effects.push("step");
            const action = await ask(call, "inside");
            effects.push("done");
            return action;
          });
          await ask(call, "outside");
          return answer;
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("nested");
    expect(Object.keys((await until(taskId, "input_required")).inputRequests ?? {})).toEqual(["inside"]);
    await answer(taskId, { inside: yes });
    expect(Object.keys((await until(taskId, "input_required")).inputRequests ?? {})).toEqual(["outside"]);
    await answer(taskId, { outside: yes });
    expect(textOf((await settled(taskId)).result)).toBe("accept");
    expect(effects).toEqual(["step", "step", "done"]);
  });

  describe("a failed step", () => {
    const failing = (error: () => unknown, retry = false) => {
      const thrown: unknown[] = [];
      let attempts = 0;
      const server = taskServer()
        .tool("charge", {
          task: "optional",
          async handler(_args, call) {
            const step = () => {
              attempts++;
              throw error();
            };
            try {
              await call.once("charge", step, { retry });
            } catch (caught) {
              thrown.push(caught);
              await ask(call, "sure");
              throw caught;
            }
          },
        })
        .build();
      return { server, thrown, attempts: () => attempts };
    };

    test("is replayed as the same error and does not run again", async () => {
      const { server, thrown, attempts } = failing(
        () => new McpError("CONFLICT", "Paid twice.", { order: 7 }),
      );
      const { create, until, answer, settled } = await connect(server);
      const taskId = await create("charge");
      await until(taskId, "input_required");
      await answer(taskId, { sure: yes });
      const task = await settled(taskId);
      expect(task).toMatchObject({ status: "completed", result: { isError: true } });
      expect(textOf(task.result)).toBe("Paid twice.");
      expect(attempts()).toBe(1);
      expect(thrown).toHaveLength(2);
      for (const error of thrown) {
        expect(error).toBeInstanceOf(McpError);
        expect(error).toMatchObject({ code: "CONFLICT", message: "Paid twice.", details: { order: 7 } });
      }
    });

    test("is still a JSON-RPC error after the replay if it was one before", async () => {
      const { server } = failing(() => new RequestError("SERVICE_UNAVAILABLE", "The bank is offline."));
      const { create, until, answer, settled } = await connect(server);
      const taskId = await create("charge");
      await until(taskId, "input_required");
      await answer(taskId, { sure: yes });
      expect(await settled(taskId)).toMatchObject({
        status: "failed",
        error: { code: -32603, message: "The bank is offline." },
      });
    });

    test("keeps the text of an unexpected error on the server", async () => {
      const { server, thrown, attempts } = failing(() => new Error("password=hunter2"));
      const { create, until, answer, settled } = await connect(server);
      const taskId = await create("charge");
      await until(taskId, "input_required");
      await answer(taskId, { sure: yes });
      const task = await settled(taskId);
      expect(textOf(task.result)).toBe("Tool charge failed");
      expect(JSON.stringify(task)).not.toContain("hunter2");
      expect(thrown).toEqual([new Error("password=hunter2"), new Error("password=hunter2")]);
      expect(attempts()).toBe(1);
    });

    test("runs again with `retry`", async () => {
      const { server, attempts } = failing(() => new Error("busy"), true);
      const { create, until, answer, settled } = await connect(server);
      const taskId = await create("charge");
      await until(taskId, "input_required");
      await answer(taskId, { sure: yes });
      await settled(taskId);
      expect(attempts()).toBe(2);
    });
  });

  test("a result that is not JSON fails the handler, as any other step does", async () => {
    const server = taskServer()
      .tool("big", { task: "optional", handler: (_args, call) => call.once("step", () => 1n as never) })
      .build();
    const { run } = await connect(server);
    expect(await run("big")).toMatchObject({ status: "completed", result: { isError: true } });
  });

  test("names of inherited members are ordinary keys", async () => {
    const server = taskServer()
      .tool("keys", {
        task: "optional",
        async handler(_args, call) {
          const values = [];
          for (const key of ["toString", "constructor", "hasOwnProperty"])
            values.push(await call.once(key, () => key.length));
          await ask(call, "valueOf");
          return values.join();
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("keys");
    await until(taskId, "input_required");
    await answer(taskId, { valueOf: yes });
    expect(textOf((await settled(taskId)).result)).toBe("8,11,14");
  });
});

describe("handlers that catch the interrupt", () => {
  test("still wait for the answer", async () => {
    let runs = 0;
    const server = taskServer()
      .tool("catches", {
        task: "optional",
        async handler(_args, call) {
          runs++;
          try {
            return await ask(call, "sure");
          } catch {
            return "caught";
          }
        },
      })
      .tool("throws", {
        task: "optional",
        async handler(_args, call) {
          try {
            return await ask(call, "sure");
          } catch (cause) {
            throw new RequestError("INTERNAL_ERROR", "wrapped", undefined, { cause });
          }
        },
      })
      .tool("forgets", {
        task: "optional",
        async handler(_args, call) {
          void call.input("sure", SURE);
          return "not awaited";
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const results: Record<string, string | undefined> = {};
    for (const name of ["catches", "throws", "forgets"]) {
      const taskId = await create(name);
      await until(taskId, "input_required");
      await answer(taskId, { sure: yes });
      results[name] = textOf((await settled(taskId)).result);
    }
    expect(results).toEqual({ catches: "accept", throws: "accept", forgets: "not awaited" });
    expect(runs).toBe(2);
  });
});

describe("progress", () => {
  test("never goes back after a replay", async () => {
    const replayed = createGate();
    const gates = [createGate(), createGate()];
    let runs = 0;
    const server = taskServer()
      .tool("steps", {
        task: "optional",
        async handler(_args, call) {
          runs++;
          await call.progress(1, 4, "one");
          if (runs === 2) {
            replayed.open();
            await gates[0]?.promise;
          }
          await call.progress(2, 4, "two");
          await ask(call, "sure");
          await call.progress(3, 4, "three");
          await gates[1]?.promise;
          return "done";
        },
      })
      .build();
    const { create, get, until, answer, settled } = await connect(server);
    const taskId = await create("steps");
    expect((await until(taskId, "input_required")).statusMessage).toBe("two");
    await answer(taskId, { sure: yes });
    await replayed.promise;
    await turn();
    expect((await get(taskId)).statusMessage).toBe("two");
    gates[0]?.open();
    await expect.poll(async () => (await get(taskId)).statusMessage, { interval: 2 }).toBe("three");
    gates[1]?.open();
    await settled(taskId);
  });

  test("is stored at most once per `progressIntervalMs`, and the last value is not lost", async () => {
    const clock = createTaskClock();
    const gate = createGate();
    const server = taskServer({ progressIntervalMs: 100 }, { ports: clock.ports })
      .tool("steps", {
        task: "optional",
        async handler(_args, call) {
          for (let step = 1; step <= 5; step++) await call.progress(step, 10, `step ${step}`);
          await gate.promise;
          for (let step = 6; step <= 9; step++) await call.progress(step, 10, `step ${step}`);
          await ask(call, "sure");
          await call.progress(10, 10, "step 10");
          return "done";
        },
      })
      .build();
    const { create, get, until, answer, settled } = await connect(server);
    const taskId = await create("steps");
    const messageOf = async () => (await get(taskId)).statusMessage;
    await expect.poll(messageOf, { interval: 2 }).toBe("step 1");
    await turn();
    expect(await messageOf()).toBe("step 1");
    clock.advance(100);
    await expect.poll(messageOf, { interval: 2 }).toBe("step 5");
    gate.open();
    expect((await until(taskId, "input_required")).statusMessage).toBe("step 9");
    await answer(taskId, { sure: yes });
    expect((await settled(taskId)).statusMessage).toBe("step 10");
    expect(clock.timers()).toBe(0);
  });

  test("values that do not grow and values that are not numbers are ignored", async () => {
    const gate = createGate();
    const server = taskServer()
      .tool("steps", {
        task: "optional",
        async handler(_args, call) {
          await call.progress(5, 10, "five");
          for (const value of [5, 4, Number.NaN, Number.POSITIVE_INFINITY])
            await call.progress(value, 10, "wrong");
          await gate.promise;
          return "done";
        },
      })
      .build();
    const { create, get, settled } = await connect(server);
    const taskId = await create("steps");
    await expect.poll(async () => (await get(taskId)).statusMessage, { interval: 2 }).toBe("five");
    gate.open();
    expect((await settled(taskId)).statusMessage).toBe("five");
  });

  test("a long message is cut", async () => {
    const gate = createGate();
    const server = taskServer()
      .tool("steps", {
        task: "optional",
        async handler(_args, call) {
          await call.progress(1, 2, "x".repeat(100_000));
          await gate.promise;
          return "done";
        },
      })
      .build();
    const { create, get, settled } = await connect(server);
    const taskId = await create("steps");
    await expect.poll(async () => (await get(taskId)).statusMessage?.length, { interval: 2 }).toBe(1_024);
    gate.open();
    await settled(taskId);
  });
});
