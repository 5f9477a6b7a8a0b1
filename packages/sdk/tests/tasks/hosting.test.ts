import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Connection } from "tenon/host";
import type { JsonRpcMessage } from "tenon/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { checkRepliesOf } from "../../../../tests/support/check-every-reply.js";
import { serve } from "../../../tenon/src/transport/node/serve.js";
import { McpServer } from "../../src/index.js";
import { DropInServer } from "../../src/server/drop-in-server.js";
import { TASKS, TEXT } from "../support/tasks/task-sides.js";

checkRepliesOf(DropInServer);

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const ANY = z.looseObject({});
const unused = { getTask: () => ({}) as never, getTaskResult: () => ({}) as never };
const FORM = { message: "Sure?", requestedSchema: { type: "object" as const, properties: {} } };
type TaskResult = { readonly task: { readonly taskId: string } };

/** A server with an open task, a task that asks the user, and a tool for which a task is optional. */
function createServer() {
  const store = new InMemoryTaskStore();
  const taskMessageQueue = new InMemoryTaskMessageQueue();
  const server = new McpServer(
    { name: "tasks", version: "1.0.0" },
    { capabilities: { logging: {}, ...TASKS }, taskStore: store, taskMessageQueue },
  );
  const { tasks } = server.experimental;
  tasks.registerToolTask(
    "open",
    { inputSchema: { n: z.number().default(0) } },
    {
      ...unused,
      createTask: async (_, { taskStore }) => ({ task: await taskStore.createTask({ pollInterval: 20 }) }),
    },
  );
  tasks.registerToolTask(
    "ask",
    {},
    {
      ...unused,
      async createTask({ taskStore }) {
        const task = await taskStore.createTask({ pollInterval: 20 });
        void server.server
          .elicitInput(FORM, { relatedTask: { taskId: task.taskId } })
          .then(({ action }) => taskStore.storeTaskResult(task.taskId, "completed", TEXT(action)))
          .catch(() => undefined);
        return { task };
      },
    },
  );
  tasks.registerToolTask(
    "maybe",
    { execution: { taskSupport: "optional" } },
    {
      ...unused,
      createTask: async ({ taskStore }) => ({ task: await taskStore.createTask({ pollInterval: 20 }) }),
    },
  );
  stops.push(() => store.cleanup());
  return { server, store, queue: taskMessageQueue };
}

async function listen(server: McpServer, options: { readonly legacy?: "stateless" } = {}): Promise<URL> {
  const running = await serve(server.build(), {
    transport: { type: "http", port: 0 },
    signals: false,
    ...options,
  });
  stops.push(() => running.close());
  return new URL(running.url ?? "");
}

async function connect(transport: object): Promise<Client> {
  const client = new Client({ name: "c", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: {} }));
  await client.connect(transport as Transport);
  stops.push(() => client.close());
  return client;
}

const overHttp = (url: URL) => connect(new StreamableHTTPClientTransport(url));
const startTask = async (client: Client, name = "open") =>
  (await client.request({ method: "tools/call", params: { name, task: {} } }, ANY)) as unknown as TaskResult;

describe("tasks on Tenon's HTTP transport", () => {
  test("deliver queued requests and status notifications", async () => {
    const { server } = createServer();
    const client = await overHttp(await listen(server));
    const heard: string[] = [];
    client.setNotificationHandler(
      TaskStatusNotificationSchema,
      ({ params }) => void heard.push(params.status),
    );
    const { task } = await startTask(client, "ask");
    const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
    expect(result.content).toEqual(TEXT("accept").content);
    await vi.waitFor(() => expect(heard).toEqual(["completed"]));
  });

  test("D36: belong to the session of the client that created them", async () => {
    const { server } = createServer();
    const url = await listen(server);
    const [ada, bob] = [await overHttp(url), await overHttp(url)];
    const { taskId } = (await startTask(ada)).task;
    const own = await ada.experimental.tasks.listTasks();
    expect(own.tasks.map((task) => task.taskId)).toEqual([taskId]);
    expect((await bob.experimental.tasks.listTasks()).tasks).toEqual([]);
    await expect(bob.experimental.tasks.getTask(taskId)).rejects.toThrow("Task not found");
    await expect(bob.experimental.tasks.cancelTask(taskId)).rejects.toThrow("Task not found");
    await expect(bob.experimental.tasks.getTaskResult(taskId, ANY)).rejects.toThrow("Task not found");
    expect((await ada.experimental.tasks.getTask(taskId)).status).toBe("working");
  });

  test("cannot be listed by stateless clients without authorization, but used with their ID", async () => {
    const { server, store } = createServer();
    const client = await overHttp(await listen(server, { legacy: "stateless" }));
    const { taskId } = (await startTask(client)).task;
    await store.storeTaskResult(taskId, "completed", TEXT("done"));
    expect(await client.experimental.tasks.getTaskResult(taskId, ANY)).toMatchObject(TEXT("done"));
    await expect(client.experimental.tasks.listTasks()).rejects.toMatchObject({ code: -32601 });
  });
});

describe("tasks in revision 2026-07-28", () => {
  async function connectModern(): Promise<Client2> {
    const { server } = createServer();
    const client = new Client2(
      { name: "v2", version: "1.0.0" },
      { capabilities: {}, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(new Http2(await listen(server)));
    stops.push(() => client.close());
    return client;
  }

  test("are not offered", async () => {
    const client = await connectModern();
    expect(client.getServerCapabilities()).not.toHaveProperty("tasks");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["open", "ask", "maybe"]);
    for (const tool of tools) expect(tool).not.toHaveProperty("execution");
    const result = await client.callTool({ name: "open", arguments: {} });
    expect(result).toMatchObject({
      isError: true,
      ...TEXT("MCP error -32601: Tool open requires task augmentation (taskSupport: 'required')"),
    });
  });

  test.each(["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"])(
    "%s does not exist",
    async (method) => {
      const { server, store } = createServer();
      const { taskId } = await store.createTask({}, 1, { method: "tools/call" });
      const connection = new Connection({ era: "modern" });
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "a", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const message = { jsonrpc: "2.0", id: 1, method, params: { taskId, _meta } } as const;
      const response = await server.build().handle(message, undefined, { connection });
      expect(response.intoJsonRpc()?.error).toMatchObject({ code: -32601 });
    },
  );
});

describe("limits for tasks", () => {
  /** Connects in memory, and counts how often the store is read. */
  async function counted() {
    const { server, store, queue } = createServer();
    const reads = vi.spyOn(store, "getTask");
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    return { server, store, queue, reads, client: await connect(near) };
  }

  /** Expects that nothing reads the store any more. */
  async function expectQuiet(reads: {
    readonly mock: { readonly calls: readonly unknown[] };
  }): Promise<void> {
    await vi.waitFor(async () => {
      const before = reads.mock.calls.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(reads.mock.calls.length).toBe(before);
    });
  }

  test("a waiting tasks/result ends when the client disconnects", async () => {
    const { client, reads } = await counted();
    const { taskId } = (await startTask(client)).task;
    const waiting = client.experimental.tasks.getTaskResult(taskId, ANY).catch(() => "ended");
    await vi.waitFor(() => expect(reads.mock.calls.length).toBeGreaterThan(5));
    await client.close();
    expect(await waiting).toBe("ended");
    await expectQuiet(reads);
  });

  test("a waiting tasks/result ends when the client cancels it", async () => {
    const { client, reads } = await counted();
    const { taskId } = (await startTask(client)).task;
    const { signal, abort } = abortable();
    const waiting = client.experimental.tasks.getTaskResult(taskId, ANY, { signal }).catch(() => "ended");
    await vi.waitFor(() => expect(reads.mock.calls.length).toBeGreaterThan(5));
    abort();
    expect(await waiting).toBe("ended");
    await expectQuiet(reads);
  });

  test("waiting for the task of an optional tool ends when the client disconnects", async () => {
    const { client, reads } = await counted();
    const waiting = client.callTool({ name: "maybe" }).catch(() => "ended");
    await vi.waitFor(() => expect(reads.mock.calls.length).toBeGreaterThan(5));
    await client.close();
    expect(await waiting).toBe("ended");
    await expectQuiet(reads);
  });

  test("a queued request fails when the client disconnects", async () => {
    const { client, server, store } = await counted();
    const { taskId } = await store.createTask({}, 1, { method: "tools/call" });
    const asked = server.server.elicitInput(FORM, { relatedTask: { taskId } });
    asked.catch(() => undefined);
    await client.close();
    await expect(asked).rejects.toThrow("Connection closed");
  });

  test("D35: 100 tasks/result requests of one connection may wait", async () => {
    const { client, store } = await counted();
    const { taskId } = (await startTask(client)).task;
    const results = Array.from({ length: 100 }, () =>
      client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema),
    );
    await expect(client.experimental.tasks.getTaskResult(taskId, ANY)).rejects.toThrow(
      "Too many requests wait for task results on this connection (limit: 100). Try again later.",
    );
    await store.storeTaskResult(taskId, "completed", TEXT("done"));
    for (const result of await Promise.all(results)) expect(result.content).toEqual(TEXT("done").content);
    expect(await client.experimental.tasks.getTaskResult(taskId, ANY)).toMatchObject(TEXT("done"));
  });

  test("a queue holds 1000 messages, unless the application sets another limit", async () => {
    const { server, store, queue } = await counted();
    const { taskId } = await store.createTask({}, 1, { method: "tools/call" });
    const log = { method: "notifications/message" as const, params: { level: "info" as const, data: 1 } };
    for (let n = 0; n < 1_000; n++) await server.server.notification(log, { relatedTask: { taskId } });
    await expect(server.server.notification(log, { relatedTask: { taskId } })).rejects.toThrow(
      "Task message queue overflow",
    );
    expect(await queue.dequeueAll(taskId)).toHaveLength(1_000);
  });

  test("a client cannot respond to a queued request that it did not receive", async () => {
    const { server, store } = await counted();
    const { taskId } = await store.createTask({}, 1, { method: "tools/call" });
    const asked = server.server.elicitInput(FORM, { relatedTask: { taskId }, timeout: 300 });
    const outcome = asked.catch((error: Error) => error.message);
    for (const id of ["tenon-1", "task-1", 0, 1, `task-${taskId}`]) {
      const response = { jsonrpc: "2.0", id, result: { action: "accept" } } as const;
      await server.build().handle(response, undefined, { connection: new Connection() });
    }
    expect(await outcome).toContain("Request timed out");
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort("enough") };
}

describe("hostile task requests", () => {
  const LONG = "x".repeat(100_000);
  const meta = (taskId: unknown) => ({ "io.modelcontextprotocol/related-task": { taskId } });

  test.each<[string, string, unknown, number | undefined]>([
    ["tasks/get without an ID", "tasks/get", {}, -32602],
    ["tasks/get with a number", "tasks/get", { taskId: 1 }, -32602],
    ["tasks/get without params", "tasks/get", undefined, -32602],
    ["tasks/result with an object", "tasks/result", { taskId: {} }, -32602],
    ["tasks/cancel with a long ID", "tasks/cancel", { taskId: LONG }, -32602],
    ["tasks/result with __proto__", "tasks/result", { taskId: "__proto__" }, -32602],
    ["tasks/list with an object", "tasks/list", { cursor: {} }, -32602],
    ["tasks/list with a long cursor", "tasks/list", { cursor: LONG }, -32602],
    ["a task with a text as lifetime", "tools/call", { name: "open", task: { ttl: "1" } }, undefined],
    ["a task that is a list", "tools/call", { name: "open", task: [] }, undefined],
    ["a related task that is a number", "tools/call", { name: "open", _meta: meta(1) }, undefined],
    ["a related task with a long ID", "tools/call", { name: "open", _meta: meta(LONG) }, undefined],
  ])("%s gets a short response", async (_, method, params, code) => {
    const { server } = createServer();
    const connection = new Connection({ era: "legacy", revision: "2025-11-25" });
    const message = { jsonrpc: "2.0", id: 1, method, params } as JsonRpcMessage;
    const response = await server.build().handle(message, undefined, { connection });
    const reply = response.intoJsonRpc();
    if (code !== undefined) expect(reply?.error).toMatchObject({ code });
    expect(reply).toMatchObject({ id: 1 });
    expect(JSON.stringify(reply).length).toBeLessThan(1_000);
  });
});
