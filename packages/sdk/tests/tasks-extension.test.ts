import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import type { ServerLike } from "tenon";
import { tasks } from "tenon/tasks";
import { createClient } from "tenon/testing";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { McpServer, type McpExtra } from "../src/index.js";
import { inputRequired, McpServer as McpServer2 } from "../src/v2/index.js";

const INFO = { name: "facade", version: "1.0.0" };
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

const NAME = {
  message: "Your name?",
  requestedSchema: {
    type: "object" as const,
    properties: { name: { type: "string" as const } },
    required: ["name"],
  },
};

const input = () => ({ action: "accept", content: { name: "Ada" } }) as const;

/** Connects a client. Tools of a drop-in are not typed. */
const connect = (server: { build(): ServerLike<unknown> }, options: object = {}) =>
  createClient(server.build(), { tasks: true, input, ...options });

const createV1 = (options: ConstructorParameters<typeof McpServer>[1] = {}) =>
  new McpServer(INFO, options).extension(tasks({ progressIntervalMs: 0 }));

const createV2 = () => new McpServer2(INFO).extension(tasks({ progressIntervalMs: 0 }));

describe("registerTool with a `task` option, version 1", () => {
  test("runs the callback as a task", async () => {
    const server = createV1();
    const callback = vi.fn(({ value }: { value: number }) => ({
      ...text(String(value * 2)),
      structuredContent: { doubled: value * 2 },
    }));
    server.registerTool(
      "double",
      { inputSchema: { value: z.number() }, outputSchema: { doubled: z.number() }, task: "optional" },
      callback,
    );
    const client = await connect(server);
    const task = await client.startTask("double", { value: 4 });
    expect(await task.result()).toMatchObject({ structuredContent: { doubled: 8 } });
    expect(await task.get()).toMatchObject({ status: "completed" });
    expect(callback).toHaveBeenCalledTimes(1);
  });

  test("runs the callback in its request for a client without tasks, unless a task is required", async () => {
    const server = createV1();
    server.registerTool("inline", { task: "optional" }, () => text("inline"));
    server.registerTool("never", { task: { mode: "required" } }, () => text("never"));
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const client = await connect(server, { revision, tasks: false });
      expect(await client.callTool("inline")).toMatchObject(text("inline"));
      await expect(client.callTool("never")).rejects.toMatchObject({ code: -32021 });
    }
  });

  test("asks the user through the task", async () => {
    const server = createV1();
    const runs = vi.fn();
    server.registerTool("greet", { task: "required" }, async () => {
      runs();
      const { action, content } = await server.server.elicitInput(NAME);
      const { roots } = await server.server.listRoots();
      return text(`${action}: ${String(content?.["name"])} of ${roots[0]?.uri}`);
    });
    const client = await connect(server, { roots: [{ uri: "file:///home" }] });
    const task = await client.startTask("greet");
    await expect.poll(() => task.get()).toMatchObject({ status: "input_required" });
    expect(await task.result()).toMatchObject(text("accept: Ada of file:///home"));
    expect(runs).toHaveBeenCalledTimes(3);
  });

  test("turns progress notifications into status messages", async () => {
    const server = createV1();
    const seen: unknown[] = [];
    server.registerTool("steps", { task: "required" }, async (extra: McpExtra) => {
      const progressToken = extra._meta?.progressToken;
      seen.push(progressToken);
      if (progressToken !== undefined)
        await extra.sendNotification({
          method: "notifications/progress",
          params: { progressToken, progress: 1, total: 2, message: "Half" },
        });
      await server.server.elicitInput(NAME);
      return text("done");
    });
    const client = await connect(server);
    const onProgress = vi.fn();
    await client.callTool("steps", {}, { onProgress });
    expect(onProgress.mock.calls).toEqual([[{ progress: 1, message: "Half" }]]);
    expect(seen).toEqual([expect.any(String), seen[0]]);
    expect(client.notifications).toEqual([]);
  });

  test("keeps the caller of the request that created the task", async () => {
    const server = createV1();
    server.registerTool("whoami", { task: "required" }, async ({ authInfo }: McpExtra) => {
      const { content } = await server.server.elicitInput(NAME);
      const { name } = server.server.getClientVersion() ?? {};
      return text(`${authInfo?.clientId}, ${String(content?.["name"])}, ${String(name)}`);
    });
    const names = ["ada", "bob", "eve"];
    const clients = await Promise.all(
      names.map((name) =>
        connect(server, {
          auth: { principal: name, scopes: [] },
          input: () => ({ action: "accept", content: { name } }),
        }),
      ),
    );
    const results = await Promise.all(clients.map((client) => client.callTool("whoami")));
    expect(results).toMatchObject(names.map((name) => text(`${name}, ${name}, tenon`)));
  });

  test("aborts the callback's signal when the task is cancelled", async () => {
    const server = createV1();
    const started = vi.fn();
    const stopped = vi.fn();
    server.registerTool("wait", { task: "required" }, async ({ signal }: McpExtra) => {
      started();
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      stopped();
      return text("stopped");
    });
    const client = await connect(server);
    const task = await client.startTask("wait");
    await vi.waitFor(() => expect(started).toHaveBeenCalled());
    await task.cancel();
    await vi.waitFor(() => expect(stopped).toHaveBeenCalled());
  });

  test("reports a callback's error as a result, and a missing result as a failed task", async () => {
    const server = createV1();
    server.registerTool("broken", { task: "required" }, () => {
      throw new Error("out of ink");
    });
    server.registerTool("nothing", { task: "required" }, (() => "nothing") as never);
    const client = await connect(server);
    expect(await client.callTool("broken")).toMatchObject({ ...text("out of ink"), isError: true });
    await expect(client.callTool("nothing")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("a callback must return an object with content blocks") as string,
    });
  });

  test("lives beside the experimental tasks of revision 2025-11-25", async () => {
    const taskStore = new InMemoryTaskStore();
    const server = createV1({
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
      capabilities: { tasks: { list: {}, requests: { tools: { call: {} } } } },
    });
    server.registerTool("new", { task: "required" }, () => text("new"));
    server.experimental.tasks.registerToolTask(
      "old",
      {},
      {
        async createTask({ taskStore: store }) {
          const task = await store.createTask({ ttl: 60_000 });
          await store.storeTaskResult(task.taskId, "completed", text("old"));
          return { task };
        },
        getTask: ({ taskId, taskStore: store }) => store.getTask(taskId) as never,
        getTaskResult: ({ taskId, taskStore: store }) => store.getTaskResult(taskId) as never,
      },
    );
    const modern = await connect(server);
    expect(await modern.callTool("new")).toMatchObject(text("new"));
    const legacy = await connect(server, { tasks: false, revision: "2025-11-25" });
    const created = await legacy.request("tools/call", { name: "old", arguments: {}, task: { ttl: 60_000 } });
    const { taskId } = created["task"] as { readonly taskId: string };
    expect(await legacy.request("tasks/get", { taskId })).toMatchObject({ taskId, status: "completed" });
    expect(await legacy.request("tasks/result", { taskId })).toMatchObject(text("old"));
    await expect(modern.request("tasks/get", { taskId })).rejects.toMatchObject({ code: -32602 });
    taskStore.cleanup();
  });

  test("declares the extension beside those of the application", async () => {
    const server = createV1({ capabilities: { extensions: { "acme/ui": {} } } });
    const client = await connect(server);
    expect(client.server).toMatchObject({
      capabilities: { extensions: { "acme/ui": {}, "io.modelcontextprotocol/tasks": {} } },
    });
  });

  test("is rejected without the extension, with `prepare`, and with an unknown mode", () => {
    const plain = new McpServer(INFO);
    expect(() => plain.registerTool("a", { task: "optional" }, () => text("a"))).toThrow(
      'Tool "a" has a `task` option, but the server cannot run tasks. ' +
        'Call `server.extension(tasks())` before `registerTool`, with `tasks` from "tenon/tasks".',
    );
    const server = createV1();
    const register = (task: unknown) =>
      server.registerTool("a", { task: task as "optional" }, () => text("a"));
    expect(() => register({ mode: "optional", prepare: () => undefined })).toThrow(
      'Tool "a": `McpServer` does not support `task.prepare`.',
    );
    expect(() => register("always")).toThrow('Tool "a": `task` must be "optional", "required", or an object');
    expect(() => register("optional")).not.toThrow();
  });

  test("stays when the tool is updated", async () => {
    const server = createV1();
    const tool = server.registerTool("a", { task: "required" }, () => text("a"));
    tool.update({ description: "Changed", callback: () => text("b") });
    const client = await connect(server);
    expect(await (await client.startTask("a")).result()).toMatchObject(text("b"));
  });
});

describe("registerTool with a `task` option, version 2", () => {
  test("runs the callback as a task and turns progress into status messages", async () => {
    const server = createV2();
    server.registerTool(
      "double",
      { inputSchema: z.object({ value: z.number() }), task: "optional" },
      async ({ value }, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        if (progressToken !== undefined)
          await ctx.mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress: 1, message: "Doubling" },
          });
        return text(String(value * 2));
      },
    );
    const client = await connect(server);
    const task = await client.startTask("double", { value: 4 });
    expect(await task.result()).toMatchObject(text("8"));
    expect(await task.get()).toMatchObject({ status: "completed", statusMessage: "Doubling" });
    expect(client.server).toMatchObject({
      capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    });
  });

  test("asks the user if the callback returns `inputRequired`", async () => {
    const server = createV2();
    server.registerTool("greet", { task: "required" }, (ctx) => {
      const { inputResponses } = ctx.mcpReq;
      if (inputResponses === undefined)
        return inputRequired({
          inputRequests: { first: inputRequired.elicit(NAME), second: inputRequired.elicit(NAME) },
        });
      return text(JSON.stringify(inputResponses));
    });
    const client = await connect(server);
    const task = await client.startTask("greet");
    await expect.poll(() => task.get()).toMatchObject({ status: "input_required" });
    const { inputRequests = {} } = await task.get();
    expect(Object.keys(inputRequests)).toHaveLength(2);
    const { content } = await task.result();
    expect(JSON.parse((content[0] as { readonly text: string }).text)).toEqual({
      first: { action: "accept", content: { name: "Ada" } },
      second: { action: "accept", content: { name: "Ada" } },
    });
  });

  test("rejects requests to the client with the way to ask instead", async () => {
    const server = createV2();
    server.registerTool("ask", { task: "required" }, async (ctx) => {
      await ctx.mcpReq.elicitInput(NAME);
      return text("asked");
    });
    const client = await connect(server);
    const result = await client.callTool("ask");
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain(
      "Return inputRequired({ … }) from the callback instead.",
    );
  });

  test("is rejected without the extension", () => {
    const plain = new McpServer2(INFO);
    expect(() => plain.registerTool("a", { task: "optional" }, () => text("a"))).toThrow(
      'Tool "a" has a `task` option, but the server cannot run tasks.',
    );
  });
});
