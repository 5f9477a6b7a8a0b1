import {
  CallToolResultSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { McpServer, Official, outcomeOf } from "../support/both-sides.js";
import {
  bothTaskSides,
  compareTasks,
  type RegisterTasks,
  TASKS,
  type TaskSide,
  TEXT,
} from "../support/tasks/task-sides.js";

const ANY = z.looseObject({});
const unused = { getTask: () => ({}) as never, getTaskResult: () => ({}) as never };
const FORM = { message: "Sure?", requestedSchema: { type: "object" as const, properties: {} } };
const RELATED = (taskId: string) => ({ "io.modelcontextprotocol/related-task": { taskId } });

const open: RegisterTasks = (server) =>
  server.experimental.tasks.registerToolTask(
    "open",
    {},
    {
      ...unused,
      createTask: async ({ taskStore }) => ({ task: await taskStore.createTask({ pollInterval: 20 }) }),
    },
  );

const startTask = async ({ client }: TaskSide) => {
  const created = await client.request({ method: "tools/call", params: { name: "open", task: {} } }, ANY);
  return (created as unknown as { task: { taskId: string } }).task.taskId;
};

describe("intended differences of tasks from the official server", () => {
  test("D26: a tool without task support is not run for a client that requests a task", async () => {
    const runs: string[] = [];
    const register: RegisterTasks = (server) =>
      server.registerTool("plain", {}, () => (runs.push("ran"), TEXT("")));
    const counts: number[] = [];
    await compareTasks("memory", [register], async ({ client }) => {
      const before = runs.length;
      const params = { name: "plain", task: {} };
      await outcomeOf(client.request({ method: "tools/call", params }, ANY));
      counts.push(runs.length - before);
    });
    expect(counts).toEqual([1, 0]);
  });

  test("D27: a failed task creation is rejected with its reason", async () => {
    const register: RegisterTasks = (server) =>
      server.experimental.tasks.registerToolTask(
        "broken",
        {},
        {
          ...unused,
          createTask: () => {
            throw new Error("no disk");
          },
        },
      );
    const [wanted, given] = await compareTasks("memory", [register], ({ client }) =>
      client.request({ method: "tools/call", params: { name: "broken", task: {} } }, ANY),
    );
    expect(JSON.stringify(wanted)).toContain("invalid_type");
    expect(JSON.stringify(wanted)).not.toContain("no disk");
    expect(given).toMatchObject({
      refused: {
        code: -32602,
        message: "MCP error -32602: MCP error -32602: Invalid task creation result: no disk",
      },
    });
  });

  test("D28: a request that belongs to a task gets its response", async () => {
    const register: RegisterTasks = (server, side) => {
      open(server, side);
      server.registerTool("any", {}, () => TEXT("response"));
    };
    const [wanted, given] = await compareTasks("memory", [register], async (side) => {
      const taskId = await startTask(side);
      const params = { name: "any", _meta: RELATED(taskId) };
      return side.client.request({ method: "tools/call", params }, ANY, { timeout: 1_500 });
    });
    // The official server queues the response for the task, so that the client never receives it.
    expect(wanted).toMatchObject({ refused: { code: -32001 } });
    expect(given).toEqual({ answer: TEXT("response") });
  });

  test("D29: a request that belongs to an unknown task is rejected, even without a session", async () => {
    const register: RegisterTasks = (server) => server.registerTool("any", {}, () => TEXT("response"));
    const [wanted, given] = await compareTasks("memory", [register], ({ client }) =>
      client.request({ method: "tools/call", params: { name: "any", _meta: RELATED("none") } }, ANY, {
        timeout: 1_500,
      }),
    );
    expect(wanted).toMatchObject({ refused: { code: -32001 } });
    expect(given).toMatchObject({
      refused: { code: -32602, message: expect.stringContaining("Task not found: none") as string },
    });
  });

  test("D30: a result can be stored after the client has disconnected", async () => {
    const outcomes: unknown[] = [];
    for (const side of await bothTaskSides("memory", (server, parts) => {
      open(server, parts);
      server.registerTool("later", { inputSchema: { taskId: z.string() } }, ({ taskId }, extra) => {
        extra.signal.addEventListener("abort", () => undefined);
        setTimeout(() => {
          const stored = extra.taskStore?.storeTaskResult(taskId, "completed", TEXT("done"));
          void outcomeOf(stored ?? Promise.resolve()).then((outcome) => outcomes.push(outcome));
        }, 100);
        return TEXT("");
      });
    })) {
      const taskId = await startTask(side);
      await side.client.callTool({ name: "later", arguments: { taskId } });
      await side.client.close();
      const length = outcomes.length + 1;
      await vi.waitFor(() => expect(outcomes).toHaveLength(length));
      expect((await side.store.getTask(taskId))?.status).toBe("completed");
    }
    expect(outcomes).toMatchObject([{ refused: { message: "Not connected" } }, {}]);
    expect(outcomes[1]).not.toHaveProperty("refused");
  });

  test("D31: tasks/cancel also ends requests that the client has already received", async () => {
    const ends: unknown[] = [];
    const register: RegisterTasks = (server, side) => {
      open(server, side);
      server.registerTool("ask", { inputSchema: { taskId: z.string() } }, ({ taskId }) => {
        void outcomeOf(server.server.elicitInput(FORM, { relatedTask: { taskId }, timeout: 5_000 })).then(
          (outcome) => ends.push(outcome),
        );
        return TEXT("");
      });
    };
    let asked = 0;
    const [first, second] = await bothTaskSides("memory", register, {
      clientCapabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler(ElicitRequestSchema, () => {
          asked += 1;
          return new Promise<ElicitResult>(() => undefined);
        }),
    });
    for (const side of [first, second]) {
      const [before, length] = [asked, ends.length + 1];
      const taskId = await startTask(side);
      await side.client.callTool({ name: "ask", arguments: { taskId } });
      void side.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema).catch(() => undefined);
      await vi.waitFor(() => expect(asked).toBe(before + 1));
      await side.client.experimental.tasks.cancelTask(taskId);
      await vi.waitFor(() => expect(ends).toHaveLength(length));
    }
    expect(ends).toMatchObject([{ refused: { code: -32001 } }, { refused: { code: -32603 } }]);
  });

  test("D32: a queue without a limit of the application holds 1000 messages", async () => {
    const log = { method: "notifications/message" as const, params: { level: "info" as const, data: 1 } };
    const accepted: number[] = [];
    for (const { server, store } of await bothTaskSides("memory", open)) {
      const { taskId } = await store.createTask({}, 1, { method: "tools/call" });
      let count = 0;
      for (; count < 1_100; count++) {
        try {
          await server.server.notification(log, { relatedTask: { taskId } });
        } catch {
          break;
        }
      }
      accepted.push(count);
    }
    expect(accepted).toEqual([1_100, 1_000]);
  });

  test("D33: invalid parameters of task methods are rejected with -32602", async () => {
    const [wanted, given] = await compareTasks("memory", [open], ({ client }) =>
      client.request({ method: "tasks/get", params: { taskId: 5 } }, ANY),
    );
    expect(wanted).toMatchObject({ refused: { code: -32603 } });
    expect(given).toMatchObject({
      refused: {
        code: -32602,
        message: "MCP error -32602: invalid params: taskId must be a string at taskId",
      },
    });
  });

  test("D34: task support is listed only in the revision that has it", async () => {
    const lists: unknown[] = [];
    for (const Class of [Official, McpServer]) {
      const server = new Class({ name: "a", version: "1" }, { capabilities: TASKS }) as unknown as Official;
      open(server, undefined as never);
      const [near, far] = InMemoryTransport.createLinkedPair();
      await server.connect(far);
      const replies: { id?: unknown; result?: { tools?: object[] } }[] = [];
      near.onmessage = (message) => void replies.push(message as never);
      await near.start();
      const send = (id: number, method: string, params: object) =>
        near.send({ jsonrpc: "2.0", id, method, params: { ...params } });
      await send(1, "initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      });
      await send(2, "tools/list", {});
      await vi.waitFor(() => expect(replies).toHaveLength(2));
      lists.push(replies.find(({ id }) => id === 2)?.result?.tools?.[0]);
      await server.close();
    }
    expect(lists[0]).toMatchObject({ name: "open", execution: { taskSupport: "required" } });
    expect(lists[1]).toMatchObject({ name: "open" });
    expect(lists[1]).not.toHaveProperty("execution");
  });
});
