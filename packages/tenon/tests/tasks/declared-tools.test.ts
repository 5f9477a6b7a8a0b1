import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineServer, FnToolHandler, form, type Server } from "../../src/index.js";
import { tasks } from "../../src/tasks/index.js";
import { createClient } from "../../src/testing/index.js";

const TOOLS = JSON.stringify([
  { name: "render", inputSchema: { type: "object", required: ["pages"] } },
  { name: "list" },
]);
const INFO = { name: "declared", version: "1.0.0" };
const CONFIRM = form({ message: "Sure?", schema: z.object({ sure: z.boolean() }) });

const createServer = (): Server => defineServer(INFO).extension(tasks()).toolsJson(TOOLS).build();
const connect = (server: Server) =>
  createClient(server, { tasks: true, input: () => ({ action: "accept", content: { sure: true } }) });

describe("handleTool with a `task` option", () => {
  test("runs a declared tool as a task, after its `prepare`", async () => {
    const server = createServer();
    const prepare = vi.fn(async (_args: unknown, call: Parameters<typeof ask>[0]) => void (await ask(call)));
    const ask = (call: { input: (key: string, form: typeof CONFIRM) => Promise<{ action: string }> }) =>
      call.input("confirm", CONFIRM);
    server.handleTool(
      "render",
      async ({ pages }, call) => `${String(pages)} pages, ${(await ask(call)).action}, ${call.taskId}`,
      { task: { mode: "required", prepare } },
    );
    server.handleTool("list", (_args, call) => `task ${call.taskId ?? "none"}`);
    const client = await connect(server);
    const task = await client.startTask("render", { pages: 3 });
    expect(await task.result()).toMatchObject({ content: [{ text: `3 pages, accept, ${task.taskId}` }] });
    expect(prepare).toHaveBeenCalledWith({ pages: 3 }, expect.anything());
    expect(await client.callTool("list")).toMatchObject({ content: [{ text: "task none" }] });
  });

  test("works for a handler object, and is gone when the handler is replaced without it", async () => {
    const server = createServer();
    const handler = new FnToolHandler(({ pages }) => `${String(pages)} pages`);
    server.handleTool("render", handler, { task: "optional" });
    const client = await connect(server);
    const task = await client.startTask("render", { pages: 2 });
    expect(await task.result()).toMatchObject({ content: [{ text: "2 pages" }] });
    server.handleTool("render", handler);
    await expect(client.startTask("render", { pages: 2 })).rejects.toThrow("did not create a task");
  });

  test("does not notify clients, because the list does not change", async () => {
    const server = createServer();
    const client = await createClient(server);
    server.handleTool("render", () => "done", { task: "optional" });
    expect(await client.callTool("render", { pages: 1 })).toMatchObject({ content: [{ text: "done" }] });
    expect(client.notifications).toEqual([]);
  });

  test("rejects invalid arguments in the request", async () => {
    const server = createServer().handleTool("render", () => "done", { task: "required" });
    const client = await connect(server);
    await expect(client.startTask("render", {})).rejects.toThrow('missing required field "pages"');
  });

  test("is rejected without the extension, and if it is invalid", () => {
    const plain: Server = defineServer(INFO).toolsJson(TOOLS).build();
    expect(() => plain.handleTool("render", () => "done", { task: "optional" })).toThrow(
      'Tool "render" has a `task` option, but the server cannot run tasks.',
    );
    const handle = (options: object) => createServer().handleTool("render", () => "done", options);
    expect(() => handle({ task: "always" })).toThrow('Tool "render": `task` must be "optional", "required"');
    expect(() => handle({ tasks: "optional" })).toThrow("Did you mean `task`?");
  });
});
