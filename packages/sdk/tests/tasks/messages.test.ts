import type { CreateTaskRequestHandlerExtra } from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test, vi } from "vitest";
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

const ANY = z.looseObject({});
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
const LOG = { method: "notifications/message" as const, params: { level: "info" as const, data: "half" } };

interface Work {
  readonly server: Official;
  readonly extra: CreateTaskRequestHandlerExtra;
  readonly relatedTask: { readonly taskId: string };
}

/** Registers a tool that runs `work` in the background of its task. The outcome becomes the task's result. */
const working =
  (work: (parts: Work) => Promise<unknown>): RegisterTasks =>
  (server, { store }) =>
    server.experimental.tasks.registerToolTask(
      "work",
      {},
      {
        ...unused,
        async createTask(extra) {
          const task = await extra.taskStore.createTask({ ttl: null, pollInterval: 20 });
          void work({ server, extra, relatedTask: { taskId: task.taskId } })
            .catch((error: { code?: unknown; message: string }) => ({
              failed: [error.code ?? null, error.message],
            }))
            .then((value) => store.storeTaskResult(task.taskId, "completed", TEXT(JSON.stringify(value))))
            // The task may be cancelled, or the test may be over.
            .catch(() => undefined);
          return { task };
        },
      },
    );

const start = async ({ client }: TaskSide) => {
  const { task } = (await client.request(
    { method: "tools/call", params: { name: "work", task: {} } },
    ANY,
  )) as {
    task: { taskId: string };
  };
  return task.taskId;
};
const resultOf = ({ client }: TaskSide, taskId: string) =>
  client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);

/** A client that answers forms and prompts, and keeps what it was asked. */
const answering = (asked: unknown[] = []): TaskSideOptions => ({
  clientCapabilities: { elicitation: { form: {} }, sampling: {} },
  prepare(client) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return { action: "accept", content: { ok: true } };
    });
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
      asked.push(params);
      return { role: "assistant", model: "m", content: { type: "text", text: "Hello" } };
    });
  },
});

/** Starts the task, and returns its result and what the client was asked and told. */
const follow = (asked: unknown[]) => async (side: TaskSide) => {
  asked.length = 0;
  const result = await resultOf(side, await start(side));
  return { result, asked: [...asked], heard: side.heard.filter(({ method }) => method === LOG.method) };
};

describe.each(WIRES)("messages of a task, over %s", (wire) => {
  test.each<[string, (parts: Work) => Promise<unknown>]>([
    [
      "extra.sendRequest (elicitation)",
      ({ extra, relatedTask }) =>
        extra.sendRequest({ method: "elicitation/create", params: FORM }, ElicitResultSchema, {
          relatedTask,
        } as object),
    ],
    [
      "extra.sendRequest (sampling)",
      ({ extra, relatedTask }) =>
        extra.sendRequest({ method: "sampling/createMessage", params: PROMPT }, CreateMessageResultSchema, {
          relatedTask,
        } as object),
    ],
    ["server.elicitInput", ({ server, relatedTask }) => server.server.elicitInput(FORM, { relatedTask })],
    [
      "server.createMessage",
      ({ server, relatedTask }) => server.server.createMessage(PROMPT, { relatedTask }),
    ],
    [
      "server.request",
      ({ server, relatedTask }) =>
        server.server.request({ method: "elicitation/create", params: FORM }, ElicitResultSchema, {
          relatedTask,
        }),
    ],
  ])("%s reaches the client that waits for the result", async (_, work) => {
    const asked: unknown[] = [];
    const [wanted, given] = await compareTasks(wire, [working(work), answering(asked)], follow(asked));
    expect(wanted).toMatchObject({
      answer: { asked: [{ _meta: { "io.modelcontextprotocol/related-task": { taskId: "task-1" } } }] },
    });
    expect(JSON.stringify(wanted)).toMatch(/accept|Hello/);
    expect(given).toEqual(wanted);
  });

  test("are delivered in order: requests and notifications", async () => {
    const asked: unknown[] = [];
    const work = async ({ server, relatedTask }: Work) => {
      await server.server.notification(LOG, { relatedTask });
      const first = await server.server.elicitInput({ ...FORM, message: "1" }, { relatedTask });
      await server.server.notification(LOG, { relatedTask });
      const second = await server.server.elicitInput({ ...FORM, message: "2" }, { relatedTask });
      return [first, second];
    };
    const [wanted, given] = await compareTasks(wire, [working(work), answering(asked)], follow(asked));
    expect(wanted).toMatchObject({
      answer: {
        asked: [{ message: "1" }, { message: "2" }],
        heard: [
          {
            params: { data: "half", _meta: { "io.modelcontextprotocol/related-task": { taskId: "task-1" } } },
          },
          {},
        ],
      },
    });
    expect(given).toEqual(wanted);
  });

  test("are sent only to a client that requests the result", async () => {
    const asked: unknown[] = [];
    const work = ({ server, relatedTask }: Work) => server.server.elicitInput(FORM, { relatedTask });
    const [wanted, given] = await compareTasks(wire, [working(work), answering(asked)], async (side) => {
      asked.length = 0;
      const taskId = await start(side);
      await side.client.ping();
      await side.client.experimental.tasks.getTask(taskId);
      const before = asked.length;
      await resultOf(side, taskId);
      return [before, asked.length];
    });
    expect(wanted).toEqual({ answer: [0, 1] });
    expect(given).toEqual(wanted);
  });

  test("extra.sendRequest sets the status to input_required", async () => {
    const work = ({ extra, relatedTask }: Work) =>
      extra.sendRequest({ method: "elicitation/create", params: FORM }, ElicitResultSchema, {
        relatedTask,
      } as object);
    const [wanted, given] = await compareTasks(wire, [working(work), answering()], async (side) => {
      const taskId = await start(side);
      const { tasks } = side.client.experimental;
      await vi.waitFor(async () => expect((await tasks.getTask(taskId)).status).toBe("input_required"));
      await resultOf(side, taskId);
      await vi.waitFor(() => expect(side.heard).toHaveLength(1));
      return [side.heard, (await tasks.getTask(taskId)).status];
    });
    expect(wanted).toMatchObject({ answer: [[{ params: { status: "input_required" } }], "completed"] });
    expect(given).toEqual(wanted);
  });

  test("the client's error reaches the task", async () => {
    const work = ({ server, relatedTask }: Work) => server.server.elicitInput(FORM, { relatedTask });
    const options: TaskSideOptions = {
      clientCapabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler(ElicitRequestSchema, () => {
          throw Object.assign(new Error("not now"), { code: -32050 });
        }),
    };
    const [wanted, given] = await compareTasks(wire, [working(work), options], async (side) =>
      resultOf(side, await start(side)),
    );
    expect(JSON.stringify(wanted)).toContain("MCP error -32050: not now");
    expect(given).toEqual(wanted);
  });

  test("a queued request times out", async () => {
    const work = ({ server, relatedTask }: Work) =>
      server.server.elicitInput(FORM, { relatedTask, timeout: 30 });
    const [wanted, given] = await compareTasks(wire, [working(work), answering()], async (side) => {
      const taskId = await start(side);
      const { tasks } = side.client.experimental;
      await vi.waitFor(async () => expect((await tasks.getTask(taskId)).status).toBe("completed"));
      return side.store.getTaskResult(taskId);
    });
    expect(JSON.stringify(wanted)).toContain("MCP error -32001: Request timed out");
    expect(given).toEqual(wanted);
  });

  test("a request that times out is cancelled on the client", async () => {
    const reasons: unknown[] = [];
    const work = async ({ server, relatedTask }: Work) => {
      // The official client ignores the cancellation of the request with the ID 0.
      await server.server.ping();
      return server.server.elicitInput(FORM, { relatedTask, timeout: 1_000 });
    };
    const options: TaskSideOptions = {
      clientCapabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler(ElicitRequestSchema, (_, { signal }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          return new Promise<never>(() => undefined);
        }),
    };
    const [wanted, given] = await compareTasks(wire, [working(work), options], async (side) => {
      const result = await resultOf(side, await start(side));
      await vi.waitFor(() => expect(reasons).toHaveLength(1));
      return [result, reasons.splice(0)];
    });
    expect(wanted).toMatchObject({ answer: [{}, [expect.stringContaining("Request timed out") as string]] });
    expect(given).toEqual(wanted);
  });

  test("tasks/cancel ends queued requests", async () => {
    const failures: unknown[] = [];
    const work = async ({ server, relatedTask }: Work) => {
      await server.server
        .elicitInput(FORM, { relatedTask })
        .catch((error: { code: number; message: string }) => {
          failures.push([error.code, error.message]);
        });
    };
    const [wanted, given] = await compareTasks(wire, [working(work), answering()], async (side) => {
      failures.length = 0;
      const taskId = await start(side);
      await side.client.experimental.tasks.cancelTask(taskId);
      await vi.waitFor(() => expect(failures).toHaveLength(1));
      return [...failures];
    });
    expect(wanted).toEqual({ answer: [[-32603, "MCP error -32603: Task cancelled or completed"]] });
    expect(given).toEqual(wanted);
  });

  test("a full queue rejects messages", async () => {
    const work = async ({ server, relatedTask }: Work) => {
      await server.server.notification(LOG, { relatedTask });
      return server.server.elicitInput(FORM, { relatedTask });
    };
    const options = { ...answering(), server: { maxTaskQueueSize: 1 } };
    const [wanted, given] = await compareTasks(wire, [working(work), options], async (side) => {
      const taskId = await start(side);
      await vi.waitFor(async () => expect((await side.store.getTask(taskId))?.status).toBe("completed"));
      return resultOf(side, taskId);
    });
    expect(JSON.stringify(wanted)).toContain(
      "Task message queue overflow: queue size (1) exceeds maximum (1)",
    );
    expect(given).toEqual(wanted);
  });

  test.each<[string, (parts: Work) => Promise<unknown>]>([
    ["requests", ({ server, relatedTask }) => server.server.elicitInput(FORM, { relatedTask })],
    ["notifications", ({ server, relatedTask }) => server.server.notification(LOG, { relatedTask })],
  ])("%s need a queue", async (_, work) => {
    const options = { ...answering(), withoutQueue: true };
    const [wanted, given] = await compareTasks(wire, [working(work), options], async (side) =>
      resultOf(side, await start(side)),
    );
    expect(JSON.stringify(wanted)).toContain(
      "Cannot enqueue task message: taskStore and taskMessageQueue are not configured",
    );
    expect(given).toEqual(wanted);
  });

  test("a client that does not support forms is not asked", async () => {
    const work = ({ server, relatedTask }: Work) => server.server.elicitInput(FORM, { relatedTask });
    const [wanted, given] = await compareTasks(wire, [working(work)], async (side) =>
      resultOf(side, await start(side)),
    );
    expect(JSON.stringify(wanted)).toContain("Client does not support form elicitation.");
    expect(given).toEqual(wanted);
  });

  test("a queued response without a request is reported", async () => {
    const work = async () => "done";
    const [wanted, given] = await compareTasks(wire, [working(work), answering()], async (side) => {
      const taskId = await start(side);
      for (const type of ["response", "error"] as const) {
        const error = { code: 1, message: "a" };
        const message = {
          jsonrpc: "2.0" as const,
          id: 77,
          ...(type === "error" ? { error } : { result: {} }),
        };
        await side.queue.enqueue(taskId, { type, message, timestamp: 0 } as never);
      }
      await resultOf(side, taskId);
      return side.errors.map(({ message }) => message);
    });
    expect(wanted).toEqual({
      answer: ["Response handler missing for request 77", "Error handler missing for request 77"],
    });
    expect(given).toEqual(wanted);
  });

  test("a request that belongs to a task has the task's ID", async () => {
    const register: RegisterTasks = (server) =>
      server.registerTool("which", {}, (extra) =>
        TEXT(JSON.stringify([extra.taskId, extra.taskRequestedTtl])),
      );
    const _meta = { "io.modelcontextprotocol/related-task": { taskId: "mine" } };
    const [wanted, given] = await compareTasks(wire, [register, { withoutQueue: true }], ({ client }) =>
      client.request({ method: "tools/call", params: { name: "which", _meta } }, ANY),
    );
    expect(wanted).toEqual({ answer: TEXT('["mine",null]') });
    expect(given).toEqual(wanted);
  });
});

test("a request that belongs to a task of another session is rejected", async () => {
  const register: RegisterTasks = (server) => server.registerTool("any", {}, () => TEXT("ran"));
  const _meta = { "io.modelcontextprotocol/related-task": { taskId: "theirs" } };
  const [wanted, given] = await compareTasks("http", [register], ({ client }) =>
    client.request({ method: "tools/call", params: { name: "any", _meta } }, ANY),
  );
  expect(wanted).toMatchObject({
    refused: { code: -32602, message: expect.stringContaining("Task not found: theirs") as string },
  });
  expect(given).toEqual(wanted);
});
