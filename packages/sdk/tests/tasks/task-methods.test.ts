import {
  CallToolResultSchema,
  GetTaskRequestSchema,
  ListTasksRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { compareTasks, type RegisterTasks, type TaskSide, TEXT, WIRES } from "../support/tasks/task-sides.js";

const ANY = z.looseObject({});
const unused = { getTask: () => ({}) as never, getTaskResult: () => ({}) as never };

/** A tool whose task stays open, and tools that change or inspect it. */
const open: RegisterTasks = (server) => {
  server.experimental.tasks.registerToolTask(
    "open",
    {},
    {
      ...unused,
      async createTask({ taskStore, taskRequestedTtl }) {
        const task = await taskStore.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 25 });
        return { task };
      },
    },
  );
  const taskId = z.string();
  server.registerTool("finish", { inputSchema: { taskId } }, async ({ taskId: id }, { taskStore }) => {
    await taskStore?.storeTaskResult(id, "completed", { ...TEXT("done"), _meta: { kept: 1 } });
    return TEXT("");
  });
  server.registerTool("fail", { inputSchema: { taskId } }, async ({ taskId: id }, { taskStore }) => {
    await taskStore?.storeTaskResult(id, "failed", { ...TEXT("sorry"), isError: true });
    return TEXT("");
  });
  server.registerTool(
    "status",
    { inputSchema: { taskId, status: z.string(), text: z.string().optional() } },
    async ({ taskId: id, status, text }, { taskStore }) => {
      await taskStore?.updateTaskStatus(id, status as never, text);
      return TEXT("");
    },
  );
  server.registerTool("look", { inputSchema: { taskId } }, async ({ taskId: id }, { taskStore }) =>
    TEXT(JSON.stringify([await taskStore?.getTask(id), (await taskStore?.listTasks())?.tasks.length])),
  );
};

const start = async ({ client }: TaskSide, task: object = {}) => {
  const { task: created } = (await client.request(
    { method: "tools/call", params: { name: "open", task } },
    ANY,
  )) as { task: { taskId: string } };
  return created.taskId;
};
const run = ({ client }: TaskSide, name: string, args: object) =>
  client.callTool({ name, arguments: { ...args } });
const tasksOf = ({ client }: TaskSide) => client.experimental.tasks;

describe.each(WIRES)("methods for tasks, over %s", (wire) => {
  test("tasks/get returns the task", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) =>
      tasksOf(side).getTask(await start(side, { ttl: 7_000 })),
    );
    expect(wanted).toEqual({
      answer: {
        taskId: "task-1",
        status: "working",
        ttl: 7_000,
        createdAt: "TIME",
        lastUpdatedAt: "TIME",
        pollInterval: 25,
      },
    });
    expect(given).toEqual(wanted);
  });

  test.each([
    ["tasks/get", { taskId: "none" }, -32602, "Failed to retrieve task: Task not found"],
    ["tasks/result", { taskId: "none" }, -32602, "Task not found: none"],
    ["tasks/cancel", { taskId: "none" }, -32602, "Task not found: none"],
    ["tasks/list", { cursor: "none" }, -32602, "Failed to list tasks: Invalid cursor: none"],
  ])("%s rejects an unknown task or cursor", async (method, params, code, text) => {
    const [wanted, given] = await compareTasks(wire, [open], ({ client }) =>
      client.request({ method, params }, ANY),
    );
    expect(wanted).toMatchObject({ refused: { code, message: expect.stringContaining(text) as string } });
    expect(given).toEqual(wanted);
  });

  test("tasks/result returns the result and relates it to the task", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      const taskId = await start(side);
      await run(side, "finish", { taskId });
      return tasksOf(side).getTaskResult(taskId, CallToolResultSchema);
    });
    expect(wanted).toEqual({
      answer: {
        ...TEXT("done"),
        _meta: { kept: 1, "io.modelcontextprotocol/related-task": { taskId: "task-1" } },
      },
    });
    expect(given).toEqual(wanted);
  });

  test("tasks/result waits for the task", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      const taskId = await start(side);
      const result = tasksOf(side).getTaskResult(taskId, CallToolResultSchema);
      const before = await tasksOf(side).getTask(taskId);
      await run(side, "fail", { taskId });
      return [before.status, await result, (await tasksOf(side).getTask(taskId)).status];
    });
    expect(wanted).toMatchObject({ answer: ["working", { isError: true, ...TEXT("sorry") }, "failed"] });
    expect(given).toEqual(wanted);
  });

  test("tasks/result waits for changes that other code makes in the store", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      const taskId = await start(side);
      const result = tasksOf(side).getTaskResult(taskId, CallToolResultSchema);
      await side.store.storeTaskResult(taskId, "completed", TEXT("outside"));
      return result;
    });
    expect(wanted).toMatchObject({ answer: TEXT("outside") });
    expect(given).toEqual(wanted);
  });

  test("tasks/result can be requested again", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      const taskId = await start(side);
      await run(side, "finish", { taskId });
      const first = await tasksOf(side).getTaskResult(taskId, CallToolResultSchema);
      return [first, await tasksOf(side).getTaskResult(taskId, CallToolResultSchema)];
    });
    expect(wanted).toMatchObject({ answer: [TEXT("done"), TEXT("done")] });
    expect(given).toEqual(wanted);
  });

  test("tasks/list returns pages", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      for (let n = 0; n < 12; n++) await start(side, { ttl: n + 60_000 });
      const first = await tasksOf(side).listTasks();
      return [first, await tasksOf(side).listTasks(first.nextCursor)];
    });
    expect(wanted).toMatchObject({ answer: [{ nextCursor: expect.any(String) as string }, {}] });
    expect(given).toEqual(wanted);
  });

  test("tasks/cancel cancels the task, and a waiting tasks/result fails", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      const taskId = await start(side);
      const result = tasksOf(side)
        .getTaskResult(taskId, CallToolResultSchema)
        .catch((error: { code: number; message: string }) => [error.code, error.message]);
      const cancelled = await tasksOf(side).cancelTask(taskId);
      return [cancelled, await result];
    });
    expect(wanted).toMatchObject({
      answer: [
        { status: "cancelled", statusMessage: "Client cancelled task execution." },
        [-32603, "MCP error -32603: Task task-1 has no result stored"],
      ],
    });
    expect(given).toEqual(wanted);
  });

  test("tasks/cancel rejects a task that is over", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      const taskId = await start(side);
      await run(side, "finish", { taskId });
      return tasksOf(side).cancelTask(taskId);
    });
    expect(wanted).toMatchObject({
      refused: {
        message: expect.stringContaining("Cannot cancel task in terminal status: completed") as string,
      },
    });
    expect(given).toEqual(wanted);
  });

  test("changes notify the client", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      const taskId = await start(side);
      await run(side, "status", { taskId, status: "input_required", text: "Waiting" });
      await run(side, "status", { taskId, status: "working" });
      await run(side, "finish", { taskId });
      await vi.waitFor(() => expect(side.heard).toHaveLength(3));
      return side.heard;
    });
    expect(wanted).toMatchObject({
      answer: [
        {
          method: "notifications/tasks/status",
          params: { status: "input_required", statusMessage: "Waiting" },
        },
        { params: { status: "working" } },
        { params: { taskId: "task-1", status: "completed" } },
      ],
    });
    expect(given).toEqual(wanted);
  });

  test.each([
    ["an unknown task's status", ["status"], { taskId: "none", status: "working" }],
    ["an unknown task", ["look"], { taskId: "none" }],
    ["an unknown task's result", ["finish"], { taskId: "none" }],
    ["the status of a task that is over", ["finish", "status"], { status: "working" }],
    ["the result of a task that is over", ["finish", "fail"], {}],
  ])("extra.taskStore rejects %s", async (_, steps, args) => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      const taskId = await start(side);
      const results: unknown[] = [];
      for (const step of steps) results.push(await run(side, step, { taskId, ...args }));
      return results.at(-1);
    });
    expect(wanted).toMatchObject({ answer: { isError: true } });
    expect(given).toEqual(wanted);
  });

  test("extra.taskStore returns tasks", async () => {
    const [wanted, given] = await compareTasks(wire, [open], async (side) => {
      await start(side);
      return run(side, "look", { taskId: await start(side) });
    });
    expect(JSON.stringify(wanted)).toContain(',2]"');
    expect(given).toEqual(wanted);
  });

  test("the default interval applies to tasks without one", async () => {
    let checks = 0;
    const bare: RegisterTasks = (server, side) => {
      open(server, side);
      const getTask = side.store.getTask.bind(side.store);
      side.store.getTask = async (...given) => {
        checks += 1;
        const task = await getTask(...given);
        return task === null ? null : { ...task, pollInterval: undefined };
      };
    };
    const options = { server: { defaultTaskPollInterval: 20 } };
    const [wanted, given] = await compareTasks(wire, [bare, options], async (side) => {
      const taskId = await start(side);
      const result = tasksOf(side).getTaskResult(taskId, CallToolResultSchema);
      checks = 0;
      // With the interval of 1 s that applies otherwise, this takes more than 20 s.
      await vi.waitFor(() => expect(checks).toBeGreaterThan(40), { timeout: 15_000 });
      await side.store.storeTaskResult(taskId, "completed", TEXT("soon"));
      return result;
    });
    expect(wanted).toMatchObject({ answer: TEXT("soon") });
    expect(given).toEqual(wanted);
  });

  test("an application can replace and remove the handlers", async () => {
    const replaced: RegisterTasks = (server, side) => {
      open(server, side);
      const task = { ttl: null, createdAt: "a", lastUpdatedAt: "b" };
      server.server.setRequestHandler(GetTaskRequestSchema, ({ params }) => ({
        taskId: params.taskId,
        status: "working",
        ...task,
      }));
      server.server.removeRequestHandler("tasks/list");
      server.registerTool("assert", {}, () => {
        server.server.assertCanSetRequestHandler(ListTasksRequestSchema.shape.method.value);
        server.server.assertCanSetRequestHandler("tasks/cancel");
        return TEXT("");
      });
    };
    const [wanted, given] = await compareTasks(wire, [replaced], async (side) => [
      await tasksOf(side).getTask("mine"),
      await tasksOf(side)
        .listTasks()
        .catch((error: { code: number; message: string }) => [error.code, error.message]),
      await run(side, "assert", {}),
    ]);
    expect(wanted).toMatchObject({
      answer: [{ taskId: "mine" }, [-32601, "MCP error -32601: Method not found"], { isError: true }],
    });
    expect(given).toEqual(wanted);
  });

  test.each(["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"])(
    "%s does not exist without a task store",
    async (method) => {
      const [wanted, given] = await compareTasks(wire, [open, { withoutStore: true }], ({ client }) =>
        client.request({ method, params: { taskId: "a" } }, ANY),
      );
      expect(wanted).toMatchObject({ refused: { code: -32601 } });
      expect(given).toEqual(wanted);
    },
  );
});
