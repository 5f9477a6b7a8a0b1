import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  InMemoryTransport,
  StreamableHTTPClientTransport,
  type SubscriptionFilter,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  createApplicationInputHandler,
  type SerializedTaskReference,
  type TaskEnabledSession,
  type TaskExecutionEvent,
  type TaskOutcome,
  taskViewFromExecutionEvent,
  type WithTasksOptions,
} from "@modelcontextprotocol/ext-tasks/client";
import type { TaskId } from "@modelcontextprotocol/ext-tasks/core";
import { connect } from "@tenon/sdk";
import { toFetch } from "tenon/fetch";
import { serve } from "tenon/node";
import type { TasksOptions } from "tenon/tasks";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { compileProgram } from "../../tools/compile-program.js";
import { ROOT } from "../../tools/source-files.js";
import { runManyTasks } from "../../tools/official-clients/many-tasks.js";
import { ANSWERS } from "../../tools/official-clients/official-client.js";
import {
  connectTasksClient,
  ENDPOINT_ID,
  type TasksClient,
} from "../../tools/official-clients/tasks-client.js";
import { createTasksServer } from "../../tools/official-clients/tasks-server.js";

/** Transport between the official client and a server, and a function that stops the server. */
interface Opened {
  readonly transport: Transport;
  readonly stop?: () => Promise<void>;
}

const TRANSPORTS: readonly { readonly name: string; readonly connect: () => Promise<Opened> }[] = [
  {
    name: "HTTP",
    connect: async () => {
      const { url, stop } = await serveTasks();
      return { transport: new StreamableHTTPClientTransport(url), stop };
    },
  },
  {
    name: "HTTP without a socket",
    connect: async () => {
      const handler = toFetch(createTasksServer());
      const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
        fetch: (url, init) => handler(new Request(url, init)),
      });
      return { transport, stop: () => handler.close(500) };
    },
  },
  {
    name: "stdio",
    connect: async () => {
      const args = [compileProgram(SERVER)];
      return { transport: new StdioClientTransport({ command: process.execPath, args, cwd: ROOT }) };
    },
  },
  {
    name: "memory",
    connect: async () => {
      const [transport, far] = InMemoryTransport.createLinkedPair();
      const server = createTasksServer();
      await connect(server, far);
      return { transport, stop: async () => server.close() };
    },
  },
];

/** Programs that run in their own process. */
const SERVER = fileURLToPath(new URL("./support/tasks-fixture.ts", import.meta.url));
const RESUMING_CLIENT = fileURLToPath(new URL("./support/resume-fixture.ts", import.meta.url));

/** Serves on a free port of the loopback interface. */
async function serveTasks(options?: TasksOptions): Promise<{ url: URL; stop: () => Promise<void> }> {
  const { url = "", close } = await serve(createTasksServer(options), {
    transport: { type: "http", port: 0 },
    signals: false,
    graceMs: 0,
  });
  return { url: new URL(url), stop: close };
}

/** Answers every question. */
const ANSWERING = createApplicationInputHandler({
  elicitation: () => ANSWERS.elicitation,
  sampling: () => ANSWERS.sampling,
  roots: () => ANSWERS.roots,
});

/** Returns the text of a result. */
function textOf(outcome: TaskOutcome<unknown>): string {
  if (outcome.status !== "completed") expect.fail(JSON.stringify(outcome));
  const { content } = outcome.result as { readonly content: readonly { readonly text: string }[] };
  return content.map(({ text }) => text).join();
}

const CASES: readonly {
  readonly tool: string;
  readonly args?: Record<string, number | string>;
  readonly ends: string;
  readonly outcome: object;
}[] = [
  {
    tool: "square",
    args: { value: 12 },
    ends: "with structured content",
    outcome: {
      status: "completed",
      result: {
        resultType: "complete",
        content: [{ type: "text", text: '{"square":144}' }],
        structuredContent: { square: 144 },
      },
    },
  },
  {
    tool: "run",
    ends: "with its result",
    outcome: { status: "completed", result: { content: [{ type: "text", text: "as a task" }] } },
  },
  {
    tool: "refuse",
    ends: "with an error for the model",
    outcome: {
      status: "completed",
      result: { isError: true, content: [{ type: "text", text: "Not found" }] },
    },
  },
  {
    tool: "crash",
    ends: "with an error that hides its reason",
    outcome: {
      status: "completed",
      result: { isError: true, content: [{ type: "text", text: "Tool crash failed" }] },
    },
  },
  {
    tool: "break",
    ends: "with a protocol error",
    outcome: {
      status: "failed",
      error: { code: -32603, message: "The renderer is offline." },
      task: { statusMessage: "The renderer is offline." },
    },
  },
  {
    tool: "greet",
    ends: "after a question to the user",
    outcome: { status: "completed", result: { content: [{ type: "text", text: "Hello, Ada!" }] } },
  },
  {
    tool: "think",
    ends: "after a question to the model",
    outcome: {
      status: "completed",
      result: { content: [{ type: "text", text: '{"type":"text","text":"a thought"}' }] },
    },
  },
  {
    tool: "places",
    ends: "after a request for the roots",
    outcome: { status: "completed", result: { content: [{ type: "text", text: "file:///home/ada" }] } },
  },
  {
    tool: "prepare",
    ends: "with an answer from before the task",
    outcome: { status: "completed", result: { content: [{ type: "text", text: "Prepared by Ada" }] } },
  },
];

describe.each(TRANSPORTS)("the official client over $name", (transport) => {
  let connected: TasksClient;
  let session: TaskEnabledSession;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const opened = await transport.connect();
    connected = await connectTasksClient(opened.transport, { onInputRequest: ANSWERING });
    ({ session } = connected);
    close = async () => {
      await connected.close();
      await opened.stop?.();
    };
  });

  afterAll(() => close());

  test.each(CASES)("$tool ends $ends", async ({ tool, args = {}, outcome }) => {
    const execution = await session.callTool(tool, args);
    expect(execution.kind).toBe("task");
    expect((await execution.settle()).outcome).toMatchObject(outcome);
  });

  test("a tool that is not a task returns its result at once", async () => {
    const execution = await session.callTool("echo", { text: "hello" });
    expect(execution.kind).toBe("immediate");
    expect(textOf((await execution.settle()).outcome)).toBe("hello");
  });

  test("a running task is cancelled", async () => {
    const execution = await session.callTool("wait");
    if (execution.kind !== "task") expect.fail("not a task");
    const task = session.task(execution.handle.taskId);
    await expect.poll(async () => (await task.snapshot()).statusMessage).toBe("Waiting");
    await execution.cancel();
    expect(await execution.result()).toMatchObject({ status: "cancelled" });
    // The client's own execution ends with the acknowledgement, so the server is asked too.
    expect(await task.result()).toMatchObject({ status: "cancelled" });
  });

  test("progress is the status message of the task", async () => {
    const execution = await session.callTool("steps");
    const messages = new Set<string | undefined>();
    const onEvent = (event: TaskExecutionEvent<unknown>) =>
      void messages.add(taskViewFromExecutionEvent(event)?.statusMessage);
    const { outcome, lastTask } = await execution.settle({ onEvent });
    expect(textOf(outcome)).toBe("Written");
    messages.delete(undefined);
    expect([...messages]).toEqual(["Reading", "Writing"]);
    expect(lastTask?.statusMessage).toBe("Writing");
  });

  test("a listen stream has the last state of a task", async () => {
    const { client, notifications } = connected;
    const execution = await session.callTool("greet");
    if (execution.kind !== "task") expect.fail("not a task");
    const { taskId } = execution.handle;
    const listening = await client.listen({ taskIds: [taskId] } as SubscriptionFilter);
    await execution.settle();
    const content = [{ type: "text", text: "Hello, Ada!" }];
    await expect
      .poll(() => notifications.at(-1))
      .toMatchObject({ params: { taskId, status: "completed", result: { content } } });
    await listening.close();
  });
});

describe("the official client", () => {
  let url: URL;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    ({ url, stop } = await serveTasks({ maxTasks: 20_000 }));
  });

  afterAll(() => stop());

  /** Connects a client until the test ends. */
  async function open(
    options: WithTasksOptions = { onInputRequest: ANSWERING },
    address = url,
  ): Promise<TasksClient> {
    const client = await connectTasksClient(new StreamableHTTPClientTransport(address), options);
    onTestFinished(() => client.close());
    return client;
  }

  test("answers one of two questions, and the other one later", async () => {
    const asked: (string | undefined)[] = [];
    const errors: string[] = [];
    const { session } = await open({
      onInputRequest: async (request, { inputId }) => {
        asked.push(inputId);
        // An error leaves the question open, and the client asks its model again at the next poll.
        if (request.kind === "sampling" && asked.length < 4) throw new Error("The model is busy.");
        return (request.kind === "sampling" ? ANSWERS.sampling : ANSWERS.elicitation) as never; // see `kind`
      },
      onError: ({ message }) => void errors.push(message),
    });
    const { outcome } = await (await session.callTool("combine")).settle();
    const answer = { action: "accept", content: { name: "Ada" } };
    expect(JSON.parse(textOf(outcome))).toEqual([answer, "parrot", answer]);
    expect(asked).toEqual(["name", "thought", "thought", "thought", "again"]);
    expect(errors).toEqual(["The model is busy.", "The model is busy."]);
  });

  test("cancels questions to the user if the application has no handler", async () => {
    const { session } = await open({});
    expect(textOf((await (await session.callTool("greet")).settle()).outcome)).toBe("cancel");
  });

  test("gets a failed task if nobody answers before its lifetime ends", async () => {
    const { session } = await open({});
    const { outcome } = await (await session.callTool("expire")).settle();
    const message = "The task did not finish within its lifetime of 300 ms.";
    expect(outcome).toMatchObject({ status: "failed", error: { code: -32603, message } });
  });

  test("fails if its answer does not match the form", async () => {
    const { session } = await open({
      onInputRequest: async () => ({ action: "accept", content: { name: "A" } }) as never, // too short
    });
    const execution = await session.callTool("greet");
    if (execution.kind !== "task") expect.fail("not a task");
    const message = 'The response to "name" is invalid: name: length must be at least 2; got 1.';
    const { outcome } = await execution.settle();
    expect(outcome).toMatchObject({ status: "failed", error: { code: -32602, message } });
    // The question stays open, so that another client can answer it.
    expect((await session.task(execution.handle.taskId).snapshot()).status).toBe("input_required");
  });

  test("continues a task of another client", async () => {
    const first = await open({ onInputRequest: () => new Promise(() => {}) });
    const execution = await first.session.callTool("greet");
    if (execution.kind !== "task") expect.fail("not a task");
    let text = "";
    await execution.handoff((reference) => void (text = JSON.stringify(reference)));
    await first.close();
    const second = await open();
    const resumed = await second.session.resumeTask(JSON.parse(text) as SerializedTaskReference);
    expect(textOf((await resumed.settle()).outcome)).toBe("Hello, Ada!");
  });

  test("continues a task of another process with its ID alone", async () => {
    const first = await open({ onInputRequest: () => new Promise(() => {}) });
    const execution = await first.session.callTool("greet");
    if (execution.kind !== "task") expect.fail("not a task");
    await first.close();
    const args = [compileProgram(RESUMING_CLIENT), url.href, execution.handle.taskId];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    expect(textOf(JSON.parse(stdout) as TaskOutcome<unknown>)).toBe("Hello, Ada!");
  });

  test("does not find a task with a wrong ID", async () => {
    const { session } = await open();
    const reference = { endpointId: ENDPOINT_ID, generation: "v2", originalOperation: "tools/call" } as const;
    const resumed = session.resumeTask({ ...reference, taskId: "unknown" as TaskId });
    await expect(resumed).rejects.toMatchObject({ code: -32602 });
  });

  test("follows a task by notifications alone", async () => {
    const patient = await serveTasks({ pollIntervalMs: 3_600_000 });
    onTestFinished(() => patient.stop());
    const { client, session, notifications } = await open({ onInputRequest: ANSWERING }, patient.url);
    const execution = await session.callTool("steps");
    if (execution.kind !== "task") expect.fail("not a task");
    const { taskId } = execution.handle;
    const listening = await client.listen({ taskIds: [taskId, "unknown"] } as SubscriptionFilter);
    expect(textOf((await execution.settle()).outcome)).toBe("Written");
    await listening.close();
    const [acknowledged, ...changes] = notifications;
    const _meta = { "io.modelcontextprotocol/subscriptionId": "listen:0" };
    const method = "notifications/subscriptions/acknowledged";
    expect(acknowledged).toEqual({
      jsonrpc: "2.0",
      method,
      params: { notifications: { taskIds: [taskId] }, _meta },
    });
    for (const change of changes)
      expect(change).toMatchObject({ method: "notifications/tasks", params: { taskId, _meta } });
    const states = changes.map(({ params: { _meta: _, ...task } }) => task);
    const asked = states.filter(({ status }) => status === "input_required");
    expect(asked.map(({ statusMessage }) => statusMessage)).toEqual(["Reading", "Writing"]);
    // The last notification says the same as the response to a request for the task.
    const { _meta: _, resultType: __, ...task } = (await session.task(taskId).snapshot()).raw;
    expect(states.at(-1)).toEqual(task);
  });

  // `npm run tasks:official` runs 10,000 tasks.
  test("settles 100 of 100 tasks with questions, failures, and cancellations", async () => {
    const run = { count: 100, clients: 20, tasksPerClient: 5 };
    const { expected, unexpected, statuses, questions } = await runManyTasks(url, run);
    expect(unexpected).toEqual([]);
    expect({ expected, statuses, questions }).toEqual({
      expected: 100,
      statuses: { completed: 70, failed: 10, cancelled: 20 },
      questions: 40,
    });
  });
});
