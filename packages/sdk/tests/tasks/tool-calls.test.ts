import { CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  compareTasks,
  type RegisterTasks,
  TASKS,
  type TaskSide,
  TEXT,
  WIRES,
} from "../support/tasks/task-sides.js";

/** Calls a tool and returns the raw result, which may be a task. */
const call = ({ client }: TaskSide, name: string, more: object = {}) =>
  client.request(
    { method: "tools/call", params: { name, arguments: {}, ...more } },
    CreateTaskResultSchema.or(z.looseObject({})),
  );

const unused = { getTask: () => ({}) as never, getTaskResult: () => ({}) as never };

/** Tools whose tasks are complete as soon as they exist. */
const tools: RegisterTasks = (server) => {
  const { tasks } = server.experimental;
  tasks.registerToolTask(
    "double",
    { title: "Double", description: "Doubles", inputSchema: { n: z.number().default(1) } },
    {
      ...unused,
      async createTask({ n }, { taskStore, taskRequestedTtl }) {
        const task = await taskStore.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 20 });
        await taskStore.storeTaskResult(task.taskId, "completed", TEXT(String(n * 2)));
        return { task: await taskStore.getTask(task.taskId) };
      },
    },
  );
  tasks.registerToolTask(
    "maybe",
    { execution: { taskSupport: "optional" }, annotations: { readOnlyHint: true }, _meta: { a: 1 } },
    {
      ...unused,
      async createTask({ taskStore }) {
        const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 20 });
        // The test may end first, and then the task is gone.
        const finish = () => taskStore.storeTaskResult(task.taskId, "completed", TEXT("later"));
        setTimeout(() => void finish().catch(() => undefined), 30);
        return { task, extra: "kept" };
      },
    },
  );
  tasks.registerToolTask(
    "broken",
    { execution: { taskSupport: "optional" } },
    {
      ...unused,
      createTask: () => {
        throw new Error("no disk");
      },
    },
  );
  tasks.registerToolTask(
    "fails",
    { execution: { taskSupport: "optional" } },
    {
      ...unused,
      async createTask({ taskStore }) {
        const task = await taskStore.createTask({ pollInterval: 20 });
        await taskStore.storeTaskResult(task.taskId, "failed", { ...TEXT("bad"), isError: true });
        return { task };
      },
    },
  );
  tasks.registerToolTask(
    "cancelled",
    { execution: { taskSupport: "optional" } },
    {
      ...unused,
      async createTask({ taskStore }) {
        const task = await taskStore.createTask({ pollInterval: 20 });
        await taskStore.updateTaskStatus(task.taskId, "cancelled", "stopped");
        return { task };
      },
    },
  );
  server.registerTool("plain", {}, () => TEXT("plain"));
};

describe.each(WIRES)("tools that create tasks, over %s", (wire) => {
  test("list their task support", async () => {
    const [wanted, given] = await compareTasks(wire, [tools], async ({ client }) => {
      const list = await client.listTools();
      return list.tools.map(({ name, title, description, annotations, execution, _meta }) => ({
        name,
        title,
        description,
        annotations,
        _meta,
        // The default is omitted in our lists, which has its own test.
        taskSupport: execution?.taskSupport ?? "forbidden",
      }));
    });
    expect(wanted).toMatchObject({
      answer: [
        { name: "double", taskSupport: "required" },
        { name: "maybe", taskSupport: "optional" },
        {},
        {},
        {},
        { name: "plain", taskSupport: "forbidden" },
      ],
    });
    expect(given).toEqual(wanted);
  });

  test.each([
    [
      "a task with the requested lifetime",
      "double",
      { arguments: { n: 4 }, task: { ttl: 9_000 } },
      { ttl: 9_000 },
    ],
    ["a task without a requested lifetime", "double", { task: {} }, { ttl: null, status: "completed" }],
    ["a task of an optional tool", "maybe", { task: { ttl: 5 } }, { ttl: 60_000, status: "working" }],
  ])("return %s", async (_, name, more, expected) => {
    const [wanted, given] = await compareTasks(wire, [tools], (side) => call(side, name, more));
    expect(wanted).toMatchObject({ answer: { task: { taskId: "task-1", ...expected } } });
    expect(given).toEqual(wanted);
  });

  test("keep other members of the result", async () => {
    const [wanted, given] = await compareTasks(wire, [tools], (side) => call(side, "maybe", { task: {} }));
    expect(wanted).toMatchObject({ answer: { extra: "kept" } });
    expect(given).toEqual(wanted);
  });

  test.each([
    ["without a task, if it is required", "double", { arguments: { n: "x" } }, "requires task augmentation"],
    ["whose task fails, without a task", "fails", {}, "bad"],
    ["whose task is cancelled, without a task", "cancelled", {}, "has no result stored"],
    ["that throws, without a task", "broken", {}, "no disk"],
    ["unknown", "nowhere", {}, "Tool nowhere not found"],
  ])("return an error result: %s", async (_, name, more, text) => {
    const [wanted, given] = await compareTasks(wire, [tools], (side) => call(side, name, more));
    expect(wanted).toMatchObject({ answer: { isError: true } });
    expect(JSON.stringify(wanted)).toContain(text);
    expect(given).toEqual(wanted);
  });

  test("wait for the result if the client does not request a task", async () => {
    const [wanted, given] = await compareTasks(wire, [tools], (side) => call(side, "maybe"));
    expect(wanted).toEqual({ answer: TEXT("later") });
    expect(given).toEqual(wanted);
  });

  test.each([
    ["a tool without task support", "plain", {}],
    ["invalid arguments", "double", { arguments: { n: "x" } }],
    ["a tool that throws", "broken", {}],
    ["an unknown tool", "nowhere", {}],
  ])("reject a request for a task with -32602: %s", async (_, name, more) => {
    const [wanted, given] = await compareTasks(wire, [tools], (side) =>
      call(side, name, { ...more, task: { ttl: 1_000 } }),
    );
    const refused = {
      code: -32602,
      message: expect.stringContaining("MCP error -32602: Invalid task creation result: ") as string,
    };
    // The official text continues with the validator's output, ours with the reason.
    expect(wanted).toMatchObject({ refused });
    expect(given).toMatchObject({ refused });
  });

  test.each([
    ["tasks", { logging: {} }, "Server does not support task creation (required for tools/call)"],
    [
      "tasks of tool calls",
      { tasks: { requests: {} } },
      "Server does not support task creation for tools/call (required for tools/call)",
    ],
  ])("reject a request for a task if the server does not declare %s", async (_, capabilities, message) => {
    const [wanted, given] = await compareTasks(wire, [tools, { server: { capabilities } }], (side) =>
      call(side, "double", { task: {} }),
    );
    expect(wanted).toMatchObject({
      refused: { code: -32603, message: expect.stringContaining(message) as string },
    });
    expect(given).toEqual(wanted);
  });

  test("need a task store", async () => {
    const [wanted, given] = await compareTasks(wire, [tools, { withoutStore: true }], (side) =>
      call(side, "maybe"),
    );
    expect(wanted).toMatchObject({
      answer: { isError: true, ...TEXT("No task store provided for task-capable tool.") },
    });
    expect(given).toEqual(wanted);
  });

  test("validate the result of a task without its output schema", async () => {
    const register: RegisterTasks = (server) =>
      server.experimental.tasks.registerToolTask(
        "typed",
        { outputSchema: { n: z.number() }, execution: { taskSupport: "optional" } },
        {
          ...unused,
          async createTask({ taskStore }) {
            const task = await taskStore.createTask({ pollInterval: 20 });
            const result = { ...TEXT("ok"), structuredContent: { n: 1 } };
            await taskStore.storeTaskResult(task.taskId, "completed", result);
            return { task };
          },
        },
      );
    const [wanted, given] = await compareTasks(wire, [register], (side) => call(side, "typed"));
    expect(wanted).toEqual({ answer: { ...TEXT("ok"), structuredContent: { n: 1 } } });
    expect(given).toEqual(wanted);
  });

  test("can be disabled, enabled, updated, and removed", async () => {
    const register: RegisterTasks = (server, { store }) => {
      const tool = server.experimental.tasks.registerToolTask(
        "change",
        {},
        { ...unused, createTask: async () => ({ task: await store.createTask({}, 1, { method: "a" }) }) },
      );
      server.registerTool("disable", {}, () => (tool.disable(), TEXT("")));
      server.registerTool("enable", {}, () => (tool.enable(), TEXT("")));
      server.registerTool("replace", {}, () => (tool.update({ callback: () => TEXT("new") }), TEXT("")));
      server.registerTool("remove", {}, () => (tool.remove(), TEXT("")));
    };
    const [wanted, given] = await compareTasks(wire, [register], async (side) => {
      const seen: unknown[] = [];
      for (const step of ["disable", "enable", "replace", "remove"]) {
        await call(side, step);
        seen.push(await call(side, "change"));
      }
      return seen;
    });
    expect(JSON.stringify(wanted)).toContain(
      "MCP error -32603: Tool change has taskSupport 'required' but was not registered with registerToolTask",
    );
    expect(JSON.stringify(wanted)).toContain("Tool change disabled");
    expect(given).toEqual(wanted);
  });
});

describe("registerToolTask", () => {
  test.each(WIRES)("rejects tools that forbid tasks, over %s", async (wire) => {
    const register: RegisterTasks = (server) =>
      server.registerTool("try", {}, () => {
        server.experimental.tasks.registerToolTask(
          "never",
          { execution: { taskSupport: "forbidden" as never } },
          { ...unused, createTask: () => ({}) as never },
        );
        return TEXT("");
      });
    const [wanted, given] = await compareTasks(wire, [register], (side) => call(side, "try"));
    expect(wanted).toMatchObject({
      answer: TEXT(
        "Cannot register task-based tool 'never' with taskSupport 'forbidden'. Use registerTool() instead.",
      ),
    });
    expect(given).toEqual(wanted);
  });

  test("declares the capability only if the application does", async () => {
    const [wanted, given] = await compareTasks("memory", [tools], async ({ client }) =>
      Promise.resolve(client.getServerCapabilities()?.tasks),
    );
    expect(wanted).toEqual({ answer: TASKS.tasks });
    expect(given).toEqual(wanted);
  });
});
