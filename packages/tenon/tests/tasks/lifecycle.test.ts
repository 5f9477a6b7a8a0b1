import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Server } from "../../src/core/server.js";
import { errorResult, McpError, RequestError } from "../../src/index.js";
import { LATEST_LEGACY } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import {
  connect,
  createGate,
  createTaskClock,
  errorOf,
  taskServer,
  textOf,
  turn,
} from "../support/tasks/task-client.js";

const META = { "io.modelcontextprotocol/serverInfo": { name: "tasks", version: "1.0.0" } };

describe("a task on the wire", () => {
  test("the handle is flat, and the result is in `tasks/get` with its own `resultType`", async () => {
    const clock = createTaskClock();
    const gate = createGate<string>();
    const server = taskServer({ pollIntervalMs: 250, ttlMs: 90_000 }, { ports: clock.ports })
      .tool("report", { task: "optional", handler: () => gate.promise })
      .build();
    const { call, get, settled } = await connect(server);

    const created = await call("report");
    const base = {
      taskId: created["taskId"],
      status: "working",
      createdAt: "2030-01-01T00:00:00.000Z",
      lastUpdatedAt: "2030-01-01T00:00:00.000Z",
      ttlMs: 90_000,
      pollIntervalMs: 250,
      _meta: META,
    };
    expect(created).toEqual({ ...base, resultType: "task" });
    expect(created["taskId"]).toMatch(/^[\w-]{24}$/);

    const taskId = String(created["taskId"]);
    expect(await get(taskId)).toEqual({ ...base, resultType: "complete" });
    expect(await get(taskId)).toEqual({ ...base, resultType: "complete" });

    clock.advance(1_500);
    gate.open("42 pages");
    expect(await settled(taskId)).toEqual({
      ...base,
      resultType: "complete",
      status: "completed",
      lastUpdatedAt: "2030-01-01T00:00:01.500Z",
      ttlMs: 301_500,
      result: { resultType: "complete", _meta: META, content: [{ type: "text", text: "42 pages" }] },
    });
  });

  test("the task finishes after the changes of its handler are stored for the other nodes", async () => {
    const stored = createGate();
    const server: Server = taskServer()
      .tool("report", {
        task: "optional",
        handler: () => {
          void server.resourceUpdated("test://report");
          return "done";
        },
      })
      .build();
    const publish = vi.fn(() => stored.promise);
    server.useCluster({ publish, subscribe: () => undefined, secrets: async () => [], store: {} });
    const { create, get, settled } = await connect(server);
    const taskId = await create("report");
    await expect.poll(() => publish.mock.calls.length).toBe(1);
    await turn(20);
    expect(await get(taskId)).toMatchObject({ status: "working" });
    stored.open();
    expect(await settled(taskId)).toMatchObject({ status: "completed" });
  });

  test("a tool's own `ttlMs` and `pollIntervalMs` take precedence over those of `tasks()`", async () => {
    const server = taskServer({ pollIntervalMs: 250, ttlMs: 90_000 })
      .tool("own", { task: { mode: "optional", ttlMs: 600_000, pollIntervalMs: 40 }, handler: () => "" })
      .tool("endless", { task: { mode: "optional", ttlMs: null }, handler: () => "" })
      .build();
    const { call } = await connect(server);
    expect(await call("own")).toMatchObject({ ttlMs: 600_000, pollIntervalMs: 40 });
    expect(await call("endless")).toMatchObject({ ttlMs: null, pollIntervalMs: 250 });
  });

  test("without options, a task lives for an hour and is polled every second", async () => {
    const server = taskServer({ ttlMs: undefined, pollIntervalMs: undefined })
      .tool("report", { task: "optional", handler: () => "" })
      .build();
    const { call } = await connect(server);
    expect(await call("report")).toMatchObject({ ttlMs: 3_600_000, pollIntervalMs: 1_000 });
  });

  test("every task has its own ID", async () => {
    const { create } = await connect(
      taskServer()
        .tool("report", { task: "optional", handler: () => "" })
        .build(),
    );
    const ids = await Promise.all(Array.from({ length: 50 }, () => create("report")));
    expect(new Set(ids).size).toBe(50);
  });

  test("a task can be read as soon as its handle arrives", async () => {
    const { create, get } = await connect(
      taskServer()
        .tool("report", { task: "optional", handler: () => "" })
        .build(),
    );
    for (let count = 0; count < 20; count++) {
      const taskId = await create("report");
      expect((await get(taskId)).taskId).toBe(taskId);
    }
  });

  test("progress becomes the status message, and no notification is sent", async () => {
    const gates = [createGate(), createGate(), createGate()];
    const server = taskServer()
      .tool("report", {
        task: "optional",
        async handler(_args, call) {
          await call.progress(1, 4);
          await gates[0]?.promise;
          await call.progress(2, 4, "Half of the pages");
          await gates[1]?.promise;
          await call.progress(3);
          await call.log("info", "a message");
          await gates[2]?.promise;
          return "done";
        },
      })
      .build();
    const { client, create, get, settled } = await connect(server);
    const taskId = await create("report", {}, { _meta: { progressToken: 7 } });
    for (const [index, text] of ["25%", "Half of the pages", "3"].entries()) {
      await expect.poll(async () => (await get(taskId)).statusMessage, { interval: 2 }).toBe(text);
      gates[index]?.open();
    }
    expect(await settled(taskId)).toMatchObject({ status: "completed", statusMessage: "3" });
    expect(client.notifications).toEqual([]);
  });
});

describe("the outcome of a handler", () => {
  const server = () =>
    taskServer()
      .tool("tool-error", { task: "optional", handler: () => errorResult("No such city.") })
      .tool("mcp-error", {
        task: "optional",
        handler: () => {
          throw new McpError("NOT_FOUND", "No such invoice.");
        },
      })
      .tool("offline", {
        task: "optional",
        handler: () => {
          throw new RequestError("SERVICE_UNAVAILABLE", "The renderer is offline.", { retryAfter: 5 });
        },
      })
      .tool("forbidden", {
        task: "optional",
        handler: async () => {
          throw new RequestError("FORBIDDEN", "Not yours.");
        },
      })
      .tool("bug", {
        task: "optional",
        handler: () => {
          throw new Error("password=hunter2");
        },
      })
      .tool("stream", {
        task: "optional",
        async *handler() {
          yield "one, ";
          yield "two";
        },
      })
      .tool("weather", {
        task: "optional",
        output: z.object({ celsius: z.number() }),
        handler: () => ({ celsius: 21 }),
      })
      .tool("wrong-output", {
        task: "optional",
        output: z.object({ celsius: z.number() }),
        handler: () => ({ celsius: "hot" }) as unknown as { celsius: number },
      })
      .tool("structured", {
        task: "optional",
        handler: () => ({ content: [{ type: "text", text: "2" }], structuredContent: { count: 2 } }),
      })
      .build();

  test("a result with `isError` completes the task", async () => {
    const { run } = await connect(server());
    const task = await run("tool-error");
    expect(task.status).toBe("completed");
    expect(task.result).toMatchObject({ isError: true, content: [{ type: "text", text: "No such city." }] });
  });

  test("a thrown McpError is a result that the model sees", async () => {
    const { run } = await connect(server());
    const task = await run("mcp-error");
    expect(task.status).toBe("completed");
    expect(task.result).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "No such invoice." }],
    });
  });

  test.each([
    ["offline", { code: -32603, message: "The renderer is offline.", data: { retryAfter: 5 } }],
    ["forbidden", { code: -32600, message: "Not yours." }],
  ])("a thrown RequestError fails the task: %s", async (name, error) => {
    const { run } = await connect(server());
    const task = await run(name);
    expect(task).toMatchObject({ status: "failed", statusMessage: error.message });
    expect(task.error).toEqual(error);
    expect(task).not.toHaveProperty("result");
  });

  test("the text of an unexpected error stays on the server", async () => {
    const { run } = await connect(server());
    const task = await run("bug");
    expect(task.status).toBe("completed");
    expect(task.result).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "Tool bug failed" }],
    });
    expect(JSON.stringify(task)).not.toContain("hunter2");
  });

  test("a streamed result is joined", async () => {
    const { run } = await connect(server());
    const { result } = await run("stream");
    expect(textOf(result)).toBe("one, two");
  });

  test("the output schema applies", async () => {
    const { run } = await connect(server());
    expect((await run("weather")).result?.structuredContent).toEqual({ celsius: 21 });
    const wrong = await run("wrong-output");
    expect(wrong).toMatchObject({ status: "completed", result: { isError: true } });
    expect(wrong.result).not.toHaveProperty("structuredContent");
  });

  test("structured content is kept", async () => {
    const { run } = await connect(server());
    expect((await run("structured")).result?.structuredContent).toEqual({ count: 2 });
  });

  test("the signal of a handler that has ended does not abort", async () => {
    const signals: AbortSignal[] = [];
    const built = taskServer()
      .tool("end", {
        task: "optional",
        handler: (_args, call) => String(signals.push(call.signal)),
      })
      .build();
    const { run, cancel } = await connect(built);
    const { taskId } = await run("end");
    await cancel(taskId);
    await turn();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test.each(["tool-error", "mcp-error", "bug", "stream", "weather", "wrong-output", "structured"])(
    "the result of %s is the one that the call has without a task",
    async (name) => {
      const { run } = await connect(server());
      const inline = await createClient(server(), { revision: "2026-07-28" });
      expect((await run(name)).result).toEqual(await inline.request("tools/call", { name, arguments: {} }));
    },
  );

  test("the error of a failed task is the one that the call has without a task", async () => {
    const { run } = await connect(server());
    const inline = await createClient(server(), { revision: "2026-07-28" });
    const error = await errorOf(inline.request("tools/call", { name: "offline", arguments: {} }));
    expect((await run("offline")).error).toEqual(error);
    const legacy = await createClient(server(), { revision: LATEST_LEGACY });
    expect(await errorOf(legacy.request("tools/call", { name: "offline", arguments: {} }))).toEqual(error);
  });
});

describe("calls that create no task", () => {
  const server = () => {
    let runs = 0;
    const built = taskServer({ maxTasks: 1 })
      .tool("square", {
        task: "optional",
        input: z.object({ value: z.number() }),
        handler: ({ value }) => {
          runs++;
          return value * value;
        },
      })
      .tool("plain", { handler: () => "plain" })
      .build();
    return { built, runs: () => runs };
  };

  test("invalid arguments are rejected as they are without a task", async () => {
    const { built, runs } = server();
    const { call, create } = await connect(built);
    const inline = await createClient(built, { revision: "2026-07-28" });
    const args = { value: "four" };
    const rejected = await call("square", args);
    expect(rejected).toMatchObject({ resultType: "complete", isError: true });
    expect(rejected).toEqual(await inline.request("tools/call", { name: "square", arguments: args }));
    expect(runs()).toBe(0);
    // The only task that the server can keep is still free.
    await create("square", { value: 4 });
  });

  test("`validationErrors: protocol` makes them a JSON-RPC error", async () => {
    const built = taskServer({}, { validationErrors: "protocol" })
      .tool("square", { task: "required", input: z.object({ value: z.number() }), handler: () => "" })
      .build();
    const { call } = await connect(built);
    expect(await errorOf(call("square", { value: "four" }))).toMatchObject({ code: -32602 });
  });

  test("a tool without the option runs in its request", async () => {
    const { call } = await connect(server().built);
    expect(await call("plain")).toMatchObject({ resultType: "complete", content: [{ text: "plain" }] });
  });

  test("an unknown tool is rejected", async () => {
    const { call } = await connect(server().built);
    expect(await errorOf(call("missing"))).toMatchObject({ code: -32602, message: "Unknown tool: missing" });
  });
});

describe("updates of the server", () => {
  test("a queued task of a removed tool fails", async () => {
    const gate = createGate();
    const server = taskServer({ concurrency: 1 })
      .tool("block", { task: "optional", handler: () => gate.promise })
      .tool("report", { task: "optional", handler: () => "never" })
      .build();
    const { create, settled } = await connect(server);
    await create("block");
    const taskId = await create("report");
    server.update((editor) => editor.removeTool("report"));
    gate.open();
    const task = await settled(taskId);
    expect(task.error).toEqual({ code: -32603, message: 'The tool "report" no longer exists.' });
    expect(task.status).toBe("failed");
  });

  test("a queued task runs the new definition of its tool", async () => {
    const gate = createGate();
    const server = taskServer({ concurrency: 1 })
      .tool("block", { task: "optional", handler: () => gate.promise })
      .tool("report", { task: "optional", handler: () => "old" })
      .build();
    const { create, settled } = await connect(server);
    await create("block");
    const taskId = await create("report");
    server.update((editor) =>
      editor.removeTool("report").tool("report", { task: "optional", handler: () => "new" }),
    );
    gate.open();
    expect(textOf((await settled(taskId)).result)).toBe("new");
  });
});
