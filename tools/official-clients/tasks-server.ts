/**
 * @fileoverview Server for clients of the Tasks extension: one tool for each way in which a task can end or ask.
 * @module tools/official-clients/tasks-server
 */
import { once } from "node:events";
import { defineServer, errorResult, form, RequestError } from "tenon";
import { tasks, type TasksOptions } from "tenon/tasks";
import { z } from "zod";

/** Creates the server. Clients poll as often as the official client can. */
export function createTasksServer(options: TasksOptions = {}) {
  return defineServer({ name: "tasks", version: "1.2.3", log: () => undefined })
    .extension(tasks({ pollIntervalMs: 10, progressIntervalMs: 0, ...options }))
    .tool("square", {
      task: "optional",
      input: z.object({ value: z.number() }),
      output: z.object({ square: z.number() }),
      handler: ({ value }) => ({ square: value * value }),
    })
    .tool("run", {
      description: "Tells if it runs as a task.",
      task: "optional",
      handler: (_args, call) => (call.taskId === undefined ? "in the request" : "as a task"),
    })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("refuse", { task: "required", handler: () => errorResult("Not found") })
    .tool("crash", {
      task: "required",
      handler: () => {
        throw new Error("secret");
      },
    })
    .tool("break", {
      task: "required",
      handler: () => {
        throw new RequestError("SERVICE_UNAVAILABLE", "The renderer is offline.");
      },
    })
    .tool("greet", {
      task: "required",
      handler: async (_args, call) => {
        const answer = await call.input("name", NAME);
        return answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action;
      },
    })
    .tool("think", {
      task: "required",
      handler: async (_args, call) => {
        const { content } = await call.sample("thought", SAMPLING);
        return JSON.stringify(content);
      },
    })
    .tool("places", {
      task: "required",
      handler: async (_args, call) => (await call.roots("places")).map(({ uri }) => uri).join(),
    })
    .tool("combine", {
      description: "Asks the user and the model at the same time, and then the user again.",
      task: "required",
      handler: async (_args, call) => {
        const [name, thought] = await Promise.all([
          call.input("name", NAME),
          call.sample("thought", SAMPLING),
        ]);
        const again = await call.input("again", NAME);
        return JSON.stringify([name, thought.model, again]);
      },
    })
    .tool("steps", {
      description: "Reports progress before each of its questions.",
      task: "required",
      handler: async (_args, call) => {
        await call.progress(1, 3, "Reading");
        await call.input("first", NAME);
        await call.progress(2, 3, "Writing");
        await call.input("second", NAME);
        return "Written";
      },
    })
    .tool("wait", {
      description: "Runs until the task is cancelled.",
      task: "required",
      handler: async (_args, call) => {
        await call.progress(1, 2, "Waiting");
        if (!call.signal.aborted) await once(call.signal, "abort");
        throw call.signal.reason;
      },
    })
    .tool("expire", {
      description: "Asks the model, and has only a short time for the answer.",
      task: { mode: "required", ttlMs: 300 },
      handler: async (_args, call) => (await call.sample("thought", SAMPLING)).model,
    })
    .tool("prepare", {
      description: "Asks the user before the task exists.",
      task: { mode: "required", prepare: async (_args, call) => void (await call.input("name", NAME)) },
      handler: async (_args, call) => {
        const answer = await call.input("name", NAME);
        return answer.action === "accept" ? `Prepared by ${answer.content.name}` : answer.action;
      },
    })
    .build();
}

const NAME = form({ message: "What is your name?", schema: z.object({ name: z.string().min(2) }) });

const SAMPLING = {
  messages: [{ role: "user", content: { type: "text", text: "Think of a number." } }],
  maxTokens: 10,
} as const;
