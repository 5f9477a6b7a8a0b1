import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Official } from "../support/both-sides.js";
import {
  compareTasks,
  type RegisterTasks,
  type TaskSide,
  type TaskSideOptions,
  TEXT,
  WIRES,
} from "../support/tasks/task-sides.js";

const unused = { getTask: () => ({}) as never, getTaskResult: () => ({}) as never };
const FORM = {
  mode: "form" as const,
  message: "Sure?",
  requestedSchema: { type: "object" as const, properties: { ok: { type: "boolean" as const } } },
};
const PROMPT = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "Hi" } }],
  maxTokens: 10,
};

/** Collects a stream. Errors are reduced to their code and message. */
async function collect(stream: AsyncIterable<{ type: string; error?: unknown }>): Promise<unknown[]> {
  const messages: unknown[] = [];
  for await (const message of stream) {
    const { code, message: text } = (message.error ?? {}) as { code?: number; message?: string };
    messages.push(message.type === "error" ? { type: "error", code, text } : message);
  }
  return messages;
}

/** Registers a tool that runs code with the server's functions for tasks of the client. */
const using =
  (work: (tasks: Official["server"]["experimental"]["tasks"]) => Promise<unknown>): RegisterTasks =>
  (server) =>
    server.registerTool("use", {}, async () => {
      try {
        return TEXT(JSON.stringify(await work(server.server.experimental.tasks)));
      } catch (error) {
        return TEXT(`threw ${(error as Error).message}`);
      }
    });

/** A client that runs forms and prompts as tasks if the server wants that. */
function withTasks(end: "completed" | "failed" | "cancelled" = "completed", delayMs = 30): TaskSideOptions {
  const requests = { elicitation: { create: {} }, sampling: { createMessage: {} } };
  return {
    client: () => ({
      capabilities: {
        elicitation: { form: {} },
        sampling: {},
        tasks: { list: {}, cancel: {}, requests },
      },
      taskStore: new InMemoryTaskStore(),
    }),
    prepare(client) {
      const answer = async (params: { task?: object }, extra: { taskStore?: unknown }, result: object) => {
        if (params.task === undefined) return result as never;
        const taskStore = extra.taskStore as {
          createTask(options: object): Promise<{ taskId: string }>;
          storeTaskResult(...given: unknown[]): Promise<void>;
          updateTaskStatus(...given: unknown[]): Promise<void>;
        };
        const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 20 });
        setTimeout(() => {
          void (
            end === "cancelled"
              ? taskStore.updateTaskStatus(task.taskId, end)
              : taskStore.storeTaskResult(task.taskId, end, result)
          ).catch(() => undefined);
        }, delayMs);
        return { task } as never;
      };
      client.setRequestHandler(ElicitRequestSchema, ({ params }, extra) =>
        answer(params as never, extra, { action: "accept", content: { ok: true } }),
      );
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }, extra) =>
        answer(params as never, extra, {
          role: "assistant",
          model: "m",
          content: { type: "text", text: "Hello" },
        }),
      );
    },
  };
}

/** Removes the statuses of open tasks: their number depends on the speed of the machine. */
function withoutOpen(messages: readonly unknown[]): unknown[] {
  return messages.filter((message) => {
    const { type, task } = message as { type: string; task?: { status: string } };
    return type !== "taskStatus" || task?.status !== "working";
  });
}

/** Calls the tool and parses its text, because the order of members may differ. */
async function call({ client }: TaskSide): Promise<unknown> {
  const { content } = (await client.callTool({ name: "use" })) as ReturnType<typeof TEXT>;
  const { text = "" } = content[0] ?? {};
  return text.startsWith("threw ") ? text : (JSON.parse(text) as unknown);
}

describe.each(WIRES)("streams, over %s", (wire) => {
  test.each([
    ["a task that is required", "slow", {}],
    ["a task that the client requests", "slow", { task: { ttl: 5_000 } }],
    ["a tool without a task", "fast", {}],
    ["an unknown tool", "none", {}],
  ])("a client follows %s", async (_, name, options) => {
    const register: RegisterTasks = (server) => {
      server.registerTool("fast", {}, () => TEXT("fast"));
      server.experimental.tasks.registerToolTask(
        "slow",
        { inputSchema: { n: z.number().default(3) }, outputSchema: { n: z.number() } },
        {
          ...unused,
          async createTask({ n }, { taskStore, taskRequestedTtl }) {
            const task = await taskStore.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 20 });
            const result = { ...TEXT("slow"), structuredContent: { n } };
            setTimeout(() => {
              void taskStore.storeTaskResult(task.taskId, "completed", result).catch(() => undefined);
            }, 30);
            return { task };
          },
        },
      );
    };
    const [wanted, given] = await compareTasks(wire, [register], async ({ client }) => {
      await client.listTools();
      const stream = client.experimental.tasks.callToolStream({ name, arguments: {} }, undefined, options);
      return withoutOpen(await collect(stream));
    });
    expect(JSON.stringify(wanted)).toMatch(/"type":"(result|error)"/);
    expect(given).toEqual(wanted);
  });

  test.each<[string, Parameters<typeof using>[0], RegExp]>([
    ["elicitInputStream", (tasks) => collect(tasks.elicitInputStream(FORM)), /accept/],
    ["createMessageStream", (tasks) => collect(tasks.createMessageStream(PROMPT)), /Hello/],
    [
      "requestStream",
      (tasks) =>
        collect(tasks.requestStream({ method: "elicitation/create", params: FORM }, ElicitResultSchema)),
      /accept/,
    ],
  ])("%s without a task yields the result", async (_, work, expected) => {
    const [wanted, given] = await compareTasks(wire, [using(work), withTasks()], call);
    expect(JSON.stringify(wanted)).toMatch(expected);
    expect(given).toEqual(wanted);
  });

  test.each<[string, Parameters<typeof using>[0], Parameters<typeof withTasks>[0], string]>([
    [
      "elicitInputStream",
      (tasks) => collect(tasks.elicitInputStream(FORM, { task: { ttl: 1_000 } })),
      "completed",
      "accept",
    ],
    [
      "createMessageStream",
      (tasks) => collect(tasks.createMessageStream(PROMPT, { task: {} })),
      "completed",
      "Hello",
    ],
    [
      "a task that fails",
      (tasks) => collect(tasks.elicitInputStream(FORM, { task: {} })),
      "failed",
      "Task task-1 failed",
    ],
    [
      "a task that is cancelled",
      (tasks) => collect(tasks.elicitInputStream(FORM, { task: {} })),
      "cancelled",
      "Task task-1 was cancelled",
    ],
  ])("%s with a task yields its progress", async (_, work, end, expected) => {
    const followed: Parameters<typeof using>[0] = async (tasks) =>
      withoutOpen((await work(tasks)) as unknown[]);
    const [wanted, given] = await compareTasks(wire, [using(followed), withTasks(end)], call);
    expect(JSON.stringify(wanted)).toContain("taskCreated");
    expect(JSON.stringify(wanted)).toContain(expected);
    expect(given).toEqual(wanted);
  });

  test("getTask, getTaskResult, listTasks, and cancelTask use the client's tasks", async () => {
    const work: Parameters<typeof using>[0] = async (tasks) => {
      const seen: unknown[] = [];
      for await (const message of tasks.elicitInputStream(FORM, { task: {} })) {
        if (message.type !== "taskCreated") continue;
        const { taskId } = message.task;
        seen.push(await tasks.getTask(taskId), (await tasks.listTasks()).tasks.length);
        seen.push(await tasks.getTaskResult(taskId, ElicitResultSchema), await tasks.getTask(taskId));
        seen.push(await tasks.cancelTask(taskId).catch((error: Error) => error.message));
      }
      return seen;
    };
    // The task is still open when its status is read, also on a slow machine.
    const [wanted, given] = await compareTasks(wire, [using(work), withTasks("completed", 1_000)], call);
    expect(JSON.stringify(wanted)).toContain('"status":"working"');
    expect(JSON.stringify(wanted)).toContain("Cannot cancel task in terminal status: completed");
    expect(given).toEqual(wanted);
  });

  const use = { type: "tool_use" as const, id: "a", name: "t", input: {} };
  const toolResult = { type: "tool_result" as const, toolUseId: "b", content: [] };
  const text = { type: "text" as const, text: "x" };
  test.each<[string, object[], object]>([
    ["mixed content", [{ role: "user", content: [toolResult, text] }], {}],
    ["a result without a call", [{ role: "user", content: toolResult }], {}],
    [
      "results of other calls",
      [
        { role: "assistant", content: use },
        { role: "user", content: toolResult },
      ],
      {},
    ],
    ["tools that the client does not support", PROMPT.messages, { tools: [] }],
  ])("createMessageStream rejects %s", async (_, messages, more) => {
    const params = { ...PROMPT, ...more, messages } as never;
    const work: Parameters<typeof using>[0] = (tasks) => collect(tasks.createMessageStream(params));
    const [wanted, given] = await compareTasks(wire, [using(work), withTasks()], call);
    expect(JSON.stringify(wanted)).toContain("threw ");
    expect(given).toEqual(wanted);
  });

  test.each([
    ["forms", FORM],
    ["links", { mode: "url" as const, message: "Open", url: "https://a.example", elicitationId: "1" }],
  ])("elicitInputStream rejects %s that the client does not support", async (_, params) => {
    const work: Parameters<typeof using>[0] = (tasks) => collect(tasks.elicitInputStream(params));
    const [wanted, given] = await compareTasks(wire, [using(work)], call);
    expect(JSON.stringify(wanted)).toContain("threw Client does not support");
    expect(given).toEqual(wanted);
  });

  test.each([
    ["tasks", { elicitation: { form: {} }, sampling: {} }],
    ["tasks of forms", { elicitation: { form: {} }, sampling: {}, tasks: { requests: {} } }],
  ])("a strict server rejects a task for a client that does not declare %s", async (_, capabilities) => {
    const work: Parameters<typeof using>[0] = async (tasks) => [
      await collect(tasks.elicitInputStream(FORM, { task: {} })),
      await collect(tasks.createMessageStream(PROMPT, { task: {} })),
    ];
    const options = { clientCapabilities: capabilities, server: { enforceStrictCapabilities: true } };
    const [wanted, given] = await compareTasks(wire, [using(work), options], call);
    expect(JSON.stringify(wanted)).toContain("Client does not support task creation");
    expect(given).toEqual(wanted);
  });

  test("a stream ends with the client's error", async () => {
    const work: Parameters<typeof using>[0] = (tasks) => collect(tasks.elicitInputStream(FORM, { task: {} }));
    const options: TaskSideOptions = {
      clientCapabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler(ElicitRequestSchema, () => {
          throw Object.assign(new Error("not now"), { code: -32050 });
        }),
    };
    const [wanted, given] = await compareTasks(wire, [using(work), options], call);
    expect(JSON.stringify(wanted)).toContain('"type":"error"');
    expect(given).toEqual(wanted);
  });
});
