import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer, form, McpError } from "../../src/index.js";
import { createClient } from "../../src/testing/index.js";
import { tasks } from "../../src/tasks/index.js";
import {
  accept,
  connect,
  createErrorLog,
  createGate,
  createTaskClock,
  MODERN,
  taskServer,
  textOf,
} from "../support/tasks/task-client.js";

const SURE = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });

describe("the handler of a task", () => {
  test("gets arguments that were converted once, in every run", async () => {
    const seen: unknown[] = [];
    const input = z.object({
      text: z.string().transform((text) => text.length),
      count: z.number().default(3),
      late: z.string().refine(async () => true),
    });
    const server = taskServer()
      .tool("measure", {
        task: "optional",
        input,
        async handler(args, call) {
          seen.push(args);
          await call.input("sure", SURE);
          return "done";
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("measure", { text: "four", late: "x", unknown: true });
    await until(taskId, "input_required");
    await answer(taskId, { sure: accept({ ok: true }) });
    await settled(taskId);
    const args = { text: 4, count: 3, late: "x" };
    expect(seen).toEqual([args, args]);
  });

  test("cannot change the arguments of its next run", async () => {
    const server = taskServer()
      .tool("push", {
        task: "optional",
        input: z.object({ list: z.array(z.number()) }),
        async handler({ list }, call) {
          list.push(list.length);
          await call.input("sure", SURE);
          return list.join();
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("push", { list: [7] });
    await until(taskId, "input_required");
    await answer(taskId, { sure: accept({ ok: true }) });
    expect(textOf((await settled(taskId)).result)).toBe("7,1");
  });

  test("runs inside the server's middleware, once per run", async () => {
    const log: string[] = [];
    const gate = createGate();
    const server = defineServer({ name: "tasks", version: "1.0.0" })
      .extension(tasks())
      .use(async (operation, next) => {
        log.push(`before ${operation.name} in ${operation.call.taskId === undefined ? "request" : "task"}`);
        const result = await next();
        log.push("after");
        return result;
      })
      .tool("work", {
        task: "optional",
        async handler() {
          await gate.promise;
          log.push("handler");
          return "done";
        },
      })
      .build();
    const { create, settled } = await connect(server);
    const taskId = await create("work");
    await expect.poll(() => log.length, { interval: 2 }).toBe(1);
    gate.open();
    await settled(taskId);
    expect(log).toEqual(["before work in task", "handler", "after"]);
  });

  test("is not limited by `deadlineMs`, which applies to the same tool in a request", async () => {
    const clock = createTaskClock();
    const gate = createGate();
    const server = taskServer({}, { ports: clock.ports })
      .tool("slow", {
        task: "optional",
        deadlineMs: 50,
        async handler() {
          await gate.promise;
          return "done";
        },
      })
      .build();
    const { create, get, settled } = await connect(server);
    const taskId = await create("slow");
    const inline = await createClient(server, { revision: MODERN });
    const timed = inline.request("tools/call", { name: "slow", arguments: {} });
    await expect.poll(() => clock.timers(), { interval: 2 }).toBeGreaterThanOrEqual(2);
    clock.advance(100);
    expect(textOf(await timed)).toBe('Tool "slow" timed out after 50 ms.');
    expect((await get(taskId)).status).toBe("working");
    gate.open();
    expect((await settled(taskId)).status).toBe("completed");
  });

  test("reports unexpected errors to the log, with the name of the tool", async () => {
    const { errors, log } = createErrorLog();
    const server = taskServer({}, { log })
      .tool("bug", {
        task: "optional",
        handler: () => {
          throw new Error("hunter2");
        },
      })
      .build();
    const { run } = await connect(server);
    await run("bug");
    expect(errors).toEqual([new Error("hunter2")]);
  });

  test("shows the text of errors with `exposeErrors`", async () => {
    const server = taskServer({}, { exposeErrors: true })
      .tool("bug", {
        task: "optional",
        handler: () => {
          throw new Error("the reason");
        },
      })
      .build();
    const { run } = await connect(server);
    expect(textOf((await run("bug")).result)).toBe("the reason");
  });

  test("has no headers of the request, which has ended", async () => {
    const server = taskServer()
      .tool("look", { task: "optional", handler: (_args, call) => String(call.header("authorization")) })
      .build();
    const { run } = await connect(server);
    expect(textOf((await run("look")).result)).toBe("undefined");
  });

  test.each<[string, unknown]>([
    ["a rejected promise", () => Promise.reject(new Error("no"))],
    ["a value that is not JSON", () => 1n],
    ["a circular value", () => circular()],
  ])("that ends with %s completes the task with an error result", async (_what, handler) => {
    const server = taskServer()
      .tool("odd", { task: "optional", handler: handler as () => string })
      .build();
    const { run } = await connect(server);
    expect(await run("odd")).toMatchObject({ status: "completed", result: { isError: true } });
  });
});

function circular(): object {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

describe("a view of the server", () => {
  test("creates tasks that its server and its other views can read", async () => {
    const server = taskServer()
      .tool("render", { task: "required", tags: ["media"], handler: () => "rendered" })
      .tool("other", { task: "required", tags: ["text"], handler: () => "other" })
      .build();
    const media = await connect(server.view({ tags: ["media"] }));
    const text = await connect(server.view({ tags: ["text"] }));
    const taskId = await media.create("render");
    expect(textOf((await media.settled(taskId)).result)).toBe("rendered");
    expect((await text.get(taskId)).status).toBe("completed");
    await expect(text.call("render")).rejects.toThrow("Unknown tool: render");
    const whole = await connect(server);
    expect(textOf((await whole.run("other")).result)).toBe("other");
  });
});

test("a declared tool keeps its handler if a new one with a `task` option is rejected", async () => {
  const inputSchema = { type: "object" } as const;
  const server = defineServer({ name: "plain", version: "1.0.0" })
    .tools([{ name: "render", inputSchema }])
    .build();
  server.handleTool("render", () => "first");
  expect(() => server.handleTool("render", () => "second", { task: "optional" })).toThrow(
    'Tool "render" has a `task` option, but the server cannot run tasks.',
  );
  const client = await createClient(server);
  expect(textOf(await client.request("tools/call", { name: "render" }))).toBe("first");
});

test("an error of the handler is a result in a task and in a request, whatever its code", async () => {
  const server = taskServer()
    .tool("work", {
      task: "optional",
      handler() {
        throw new McpError("TOO_MANY_CALLS", "The printer is busy.");
      },
    })
    .build();
  const { run } = await connect(server);
  expect((await run("work")).result).toMatchObject({ isError: true });
  const client = await createClient(server);
  expect(await client.callTool("work")).toMatchObject({
    isError: true,
    content: [{ type: "text", text: "The printer is busy." }],
  });
});
