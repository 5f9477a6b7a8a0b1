import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { errorResult, form, McpError, type Middleware, RequestError } from "../../src/index.js";
import { createTaskEngine } from "../../src/tasks/index.js";
import {
  accept,
  connect,
  createGate,
  createTaskClock,
  errorOf,
  taskServer,
  textOf,
} from "../support/tasks/task-client.js";

const GO = form({ message: "Go on?", schema: z.object({ ok: z.boolean() }) });
const yes = accept({ ok: true });

/** Creates an engine that keeps the size of the last record of each task. */
function measuredEngine() {
  const engine = createTaskEngine();
  const sizes = new Map<string, number>();
  const write = engine.write.bind(engine);
  engine.write = (change) => {
    const { taskId, ...record } = change.record;
    sizes.set(taskId, change.record.bytes);
    lengths.set(taskId, JSON.stringify(record).length);
    return write(change);
  };
  const lengths = new Map<string, number>();
  return { engine, sizes, lengths };
}

describe("the memory of a finished task", () => {
  test("does not include the request", async () => {
    const { engine, lengths } = measuredEngine();
    const server = taskServer({ engine })
      .tool("work", { task: "required", input: z.object({ text: z.string() }), handler: () => "done" })
      .build();
    const { client, settled } = await connect(server);
    const meta = { "com.example/note": "n".repeat(10_000) };
    const params = { name: "work", arguments: { text: "t".repeat(10_000) }, _meta: meta };
    const { taskId } = await client.request("tools/call", params);
    await settled(String(taskId));
    expect(lengths.get(String(taskId))).toBeLessThan(2_000);
  });

  test("counts the error, which is limited like a result", async () => {
    const { engine, sizes } = measuredEngine();
    const server = taskServer({ engine, maxResultBytes: 5_000 })
      .tool("work", {
        task: "required",
        input: z.object({ length: z.number() }),
        handler({ length }) {
          throw new RequestError("CONFLICT", "x".repeat(length));
        },
      })
      .build();
    const { run } = await connect(server);
    const small = await run("work", { length: 4_000 });
    expect(small.error?.message).toHaveLength(4_000);
    expect(sizes.get(small.taskId)).toBeGreaterThan(6_000);
    const large = await run("work", { length: 6_000 });
    expect(large.error?.message).toMatch(/^The result is too large: \d+ bytes \(limit: 5000\)\.$/);
  });
});

describe("questions", () => {
  test("that are too large fail the task", async () => {
    const server = taskServer({ maxTaskBytes: 4_000 })
      .tool("ask", {
        task: "required",
        handler: (_args, call) =>
          call.input("go", form({ message: "m".repeat(5_000), schema: z.object({ ok: z.boolean() }) })),
      })
      .build();
    const { run } = await connect(server);
    expect((await run("ask")).error?.message).toBe(
      "The questions of the task are too large (limit: 4000 bytes).",
    );
  });

  test("do not count after they were answered", async () => {
    const server = taskServer({ maxTaskBytes: 6_000 })
      .tool("ask", {
        task: "required",
        async handler(_args, call) {
          for (let round = 0; round < 10; round++)
            await call.input(
              `go${round}`,
              form({ message: "m".repeat(1_000), schema: z.object({ ok: z.boolean() }) }),
            );
          return "done";
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("ask");
    for (let round = 0; round < 10; round++) {
      await vi.waitFor(async () => {
        const { inputRequests } = await until(taskId, "input_required");
        expect(Object.keys(inputRequests ?? {})).toEqual([`go${round}`]);
      });
      await answer(taskId, { [`go${round}`]: yes });
    }
    expect(textOf((await settled(taskId)).result)).toBe("done");
  });
});

describe("a handler that runs again", () => {
  test("gets the same arguments and answers, even if it changed them before", async () => {
    const server = taskServer()
      .tool("count", {
        task: "required",
        input: z.object({ list: z.any() }),
        async handler({ list }, call) {
          list[0].n++;
          await call.input("go", GO);
          return String(list[0].n);
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("count", { list: [{ n: 0 }] });
    await until(taskId, "input_required");
    await answer(taskId, { go: yes });
    expect(textOf((await settled(taskId)).result)).toBe("1");
  });

  test("gets the results of `once` in `prepare` as JSON", async () => {
    const server = taskServer()
      .tool("read", {
        task: {
          mode: "required",
          async prepare(_args, call) {
            await call.once("map", () => new Map([["a", 1]]));
          },
        },
        handler: async (_args, call) => JSON.stringify(await call.once("map", () => "again")),
      })
      .build();
    const { run } = await connect(server);
    expect(textOf((await run("read")).result)).toBe("{}");
  });
});

describe("middleware around `prepare`", () => {
  const newServer = (middleware: Middleware) => {
    const log: string[] = [];
    const server = taskServer()
      .use(middleware)
      .tool("work", {
        task: { mode: "required", prepare: () => void log.push("prepare") },
        handler: () => void log.push("run"),
      })
      .build();
    return { server, log };
  };

  test("can reject the call before the task exists", async () => {
    const { server, log } = newServer(() => {
      throw new McpError("FORBIDDEN", "Not today.");
    });
    const { call } = await connect(server);
    expect(await call("work")).toMatchObject({ resultType: "complete", isError: true });
    expect(log).toEqual([]);
  });

  test("can respond itself, without a task", async () => {
    const { server, log } = newServer(() => errorResult("Closed."));
    const { call } = await connect(server);
    expect(textOf(await call("work"))).toBe("Closed.");
    expect(log).toEqual([]);
  });

  test("continues with `prepare`, and later with the handler", async () => {
    const { server, log } = newServer((operation, next) => {
      log.push(operation.call.taskId === undefined ? "before" : "in the task");
      return next();
    });
    const { run } = await connect(server);
    expect((await run("work")).status).toBe("completed");
    expect(log).toEqual(["before", "prepare", "in the task", "run"]);
  });
});

test("the reason for a rejected answer disappears with the next answer", async () => {
  const even = form({
    message: "Number?",
    schema: z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") }),
  });
  const server = taskServer()
    .tool("ask", {
      task: "required",
      async handler(_args, call) {
        await call.progress(1, 2, "Half");
        await call.input("n", even);
        return "done";
      },
    })
    .build();
  const { create, until, answer, settled } = await connect(server);
  const taskId = await create("ask");
  await until(taskId, "input_required");
  await answer(taskId, { n: accept({ n: 1 }) });
  await vi.waitFor(async () =>
    expect((await until(taskId, "input_required")).statusMessage).toContain("must be even"),
  );
  await answer(taskId, { "n (2)": accept({ n: 2 }) });
  expect((await settled(taskId)).statusMessage).toBe("Half");
});

test("a handler that ignores the end of its task gives its place to the next one", async () => {
  const clock = createTaskClock();
  const gate = createGate();
  const server = taskServer({ concurrency: 1, ttlMs: 1_000 }, { ports: clock.ports, log: () => undefined })
    .tool("hang", { task: "required", handler: () => gate.promise })
    .tool("work", { task: { mode: "required", ttlMs: 60_000 }, handler: () => "done" })
    .build();
  const { create, settled, get } = await connect(server);
  const hung = await create("hang");
  await expect.poll(() => clock.timers(), { interval: 2 }).toBe(1);
  const next = await create("work");
  clock.advance(1_000);
  expect((await settled(hung)).status).toBe("failed");
  expect((await get(next)).status).toBe("working");
  await expect.poll(() => clock.timers(), { interval: 2 }).toBe(1);
  clock.advance(10_000);
  expect(textOf((await settled(next)).result)).toBe("done");
  gate.open();
});

test("a closed server rejects new tasks", async () => {
  const server = taskServer()
    .tool("work", { task: "required", handler: () => "done" })
    .build();
  const { call } = await connect(server);
  server.close();
  expect((await errorOf(call("work"))).message).toBe("The server is closing. Try again later.");
});
