import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineServer, errorResult, form, RequestError } from "../../src/index.js";
import { tasks } from "../../src/tasks/index.js";
import { createClient } from "../../src/testing/index.js";
import { ClientError } from "../../src/client/errors.js";

const NAME = form({ message: "Who?", schema: z.object({ name: z.string().min(1) }) });

/** Resolves when its signal aborts. */
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });

const createServer = () => {
  const state = { prepared: 0, runs: 0, stopped: false, greeted: [] as (string | undefined)[] };
  const server = defineServer({ name: "tasks", version: "1.0.0" })
    .extension(tasks({ pollIntervalMs: 60_000, progressIntervalMs: 0 }))
    .tool("double", {
      task: "optional",
      input: z.object({ value: z.number() }),
      output: z.object({ doubled: z.number() }),
      handler: ({ value }) => ({ doubled: value * 2 }),
    })
    .tool("greet", {
      task: "required",
      handler: async (_args, call) => {
        state.greeted.push(call.taskId);
        const answer = await call.input("name", NAME);
        return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello!";
      },
    })
    .tool("welcome", {
      task: {
        mode: "optional",
        prepare: async (_args, call) => {
          state.prepared++;
          await call.input("name", NAME);
        },
      },
      handler: async (_args, call) => {
        const answer = await call.input("name", NAME);
        return answer.action === "accept" ? `Welcome, ${answer.content.name}!` : "Welcome!";
      },
    })
    .tool("count", {
      task: "required",
      handler: async (_args, call) => {
        for (const step of [1, 2]) {
          await call.progress(step, 2, `Step ${step}`);
          await call.input(`step ${step}`, NAME);
        }
        return "counted";
      },
    })
    .tool("wait", {
      task: "required",
      handler: async (_args, call) => {
        state.runs++;
        await aborted(call.signal);
        state.stopped = true;
        throw call.signal.reason;
      },
    })
    .tool("broken", { task: "optional", handler: () => errorResult("The file is missing.") })
    .tool("offline", {
      task: "optional",
      handler: () => {
        throw new RequestError("SERVICE_UNAVAILABLE", "The renderer is offline.", { retryAfter: 5 });
      },
    })
    .tool("plain", { handler: () => "plain" })
    .build();
  return { server, state };
};

const input = () => ({ action: "accept", content: { name: "Ada" } }) as const;

describe("a test client with `tasks: true`", () => {
  test("follows a task to its result, faster than the server's poll interval", async () => {
    const client = await createClient(createServer().server, { tasks: true });
    const result = await client.callTool("double", { value: 4 });
    expect(result).toMatchObject({ structuredContent: { doubled: 8 }, resultType: "complete" });
    expect(result).not.toHaveProperty("taskId");
  });

  test("answers a task's questions with the fakes", async () => {
    const { server, state } = createServer();
    const client = await createClient(server, { tasks: true, input });
    const { content } = await client.callTool("greet");
    expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    expect(state.greeted).toEqual([expect.any(String), state.greeted[0]]);
  });

  test("answers questions that come before the task", async () => {
    const { server, state } = createServer();
    const fake = vi.fn(input);
    const client = await createClient(server, { tasks: true, input: fake });
    const { content } = await client.callTool("welcome");
    expect(content).toEqual([{ type: "text", text: "Welcome, Ada!" }]);
    expect(state.prepared).toBe(2);
    expect(fake).toHaveBeenCalledTimes(1);
  });

  test("passes status messages to `onProgress`", async () => {
    const client = await createClient(createServer().server, { tasks: true, input });
    const onProgress = vi.fn();
    await client.callTool("count", {}, { onProgress });
    expect(onProgress.mock.calls).toEqual([
      [{ progress: 1, message: "Step 1" }],
      [{ progress: 2, message: "Step 2" }],
    ]);
  });

  test("returns a tool's error result", async () => {
    const client = await createClient(createServer().server, { tasks: true });
    expect(await client.callTool("broken")).toMatchObject({
      isError: true,
      content: [{ text: "The file is missing." }],
    });
  });

  test("throws a failed task's error with its code and data", async () => {
    const client = await createClient(createServer().server, { tasks: true });
    const error: unknown = await client.callTool("offline").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ message: "The renderer is offline.", data: { retryAfter: 5 } });
    expect(error).toHaveProperty("code", expect.any(Number));
  });

  test("cancels the task when the signal aborts", async () => {
    const { server, state } = createServer();
    const client = await createClient(server, { tasks: true });
    const controller = new AbortController();
    const called = client.callTool("wait", {}, { signal: controller.signal });
    await vi.waitFor(() => expect(state.runs).toBe(1));
    controller.abort(new Error("not needed any more"));
    await expect(called).rejects.toThrow("not needed any more");
    await vi.waitFor(() => expect(state.stopped).toBe(true));
    expect(client.notifications).toEqual([]);
  });

  test("cancels the task and throws if a question has no fake", async () => {
    const { server } = createServer();
    const client = await createClient(server, {
      tasks: true,
      capabilities: { elicitation: { form: {} } },
    });
    const task = await client.startTask("greet");
    await expect(task.result()).rejects.toThrow('The client cannot respond to "elicitation/create".');
    expect(await task.get()).toMatchObject({ status: "cancelled" });
  });

  test("runs other tools in their request", async () => {
    const client = await createClient(createServer().server, { tasks: true });
    expect(await client.callTool("plain")).toMatchObject({ content: [{ text: "plain" }] });
  });
});

describe("startTask", () => {
  test("returns a handle that reads, answers, and ends a task", async () => {
    const client = await createClient(createServer().server, {
      tasks: true,
      capabilities: { elicitation: { form: {} } },
    });
    const task = await client.startTask("greet");
    await expect
      .poll(() => task.get())
      .toMatchObject({
        taskId: task.taskId,
        status: "input_required",
        inputRequests: { name: { method: "elicitation/create", params: { message: "Who?" } } },
      });
    await task.answer({ name: { action: "accept", content: { name: "Grace" } } });
    expect(await task.result()).toMatchObject({ content: [{ text: "Hello, Grace!" }] });
    expect(await task.get()).toMatchObject({ status: "completed" });
  });

  test("cancels a task, whose result then throws", async () => {
    const { server, state } = createServer();
    const client = await createClient(server, { tasks: true });
    const task = await client.startTask("wait");
    await vi.waitFor(() => expect(state.runs).toBe(1));
    await task.cancel();
    const error: unknown = await task.result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "AbortError", message: "The task was cancelled." });
    expect(state.stopped).toBe(true);
  });

  test("explains a tool that did not create a task", async () => {
    const client = await createClient(createServer().server, { tasks: true });
    await expect(client.startTask("plain")).rejects.toThrow('Tool "plain" did not create a task.');
  });
});

describe("the `tasks` option", () => {
  test("selects the stateless revision", async () => {
    const client = await createClient(createServer().server, { tasks: true });
    expect(client.revision).toBe("2026-07-28");
  });

  test("is off by default, so that tools run in their request", async () => {
    const client = await createClient(createServer().server, { revision: "2026-07-28" });
    const result = await client.callTool("double", { value: 4 });
    expect(result).toMatchObject({ structuredContent: { doubled: 8 } });
    await expect(client.startTask("double", { value: 4 })).rejects.toThrow("did not create a task");
    await expect(client.callTool("wait")).rejects.toMatchObject({ code: -32021 });
  });

  test("keeps other extensions that the client declares", async () => {
    const server = defineServer({ name: "tasks", version: "1.0.0" })
      .tool("extensions", {
        handler: (_args, { client }) => Object.keys(client.capabilities.extensions ?? {}).join(),
      })
      .build();
    const client = await createClient(server, { tasks: true, capabilities: { extensions: { "a/b": {} } } });
    expect(await client.callTool("extensions")).toMatchObject({
      content: [{ text: "a/b,io.modelcontextprotocol/tasks" }],
    });
  });

  test("is rejected with a revision that does not have tasks", async () => {
    await expect(
      createClient(createServer().server, { tasks: true, revision: "2025-11-25" }),
    ).rejects.toThrow(
      new TypeError(
        "createClient: `tasks` requires revision 2026-07-28, because older revisions do not have the Tasks " +
          'extension; got "2025-11-25".',
      ),
    );
  });

  test("is rejected unless it is a boolean", async () => {
    const options = { tasks: "yes" } as unknown as { readonly tasks: boolean };
    await expect(createClient(createServer().server, options)).rejects.toThrow(
      'createClient: `tasks` must be true or false; got "yes".',
    );
  });
});
