import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  defineServer,
  form,
  RequestError,
  type Server,
  type ServerLike,
  type ToolMap,
} from "../../src/index.js";
import { createTool, ToolRegistry } from "../../src/grouped/index.js";
import { tasks } from "../../src/tasks/index.js";
import { createClient } from "../../src/testing/index.js";

interface App {
  readonly tenant: string;
}

const APPROVAL = form({ message: "Approve?", schema: z.object({ approved: z.boolean() }) });

const createReports = () => {
  const seen = {
    taskIds: [] as (string | undefined)[],
    prepared: [] as unknown[],
    middleware: [] as unknown[],
  };
  const tool = createTool<App>("reports")
    .commonSchema(z.object({ year: z.number() }))
    .action({
      name: "render",
      schema: z.object({ pages: z.number().default(1) }),
      task: {
        mode: "optional",
        prepare: async (app, args, call) => {
          seen.prepared.push([app.tenant, args]);
          await call.input("approval", APPROVAL);
        },
      },
      handler: async (app, { year, pages }, call) => {
        seen.taskIds.push(call?.taskId);
        const answer = await call?.input("approval", APPROVAL);
        return answer?.action === "accept" ? `${app.tenant}: ${pages} pages for ${year}` : "Not approved";
      },
    })
    .action({
      name: "archive",
      task: "required",
      handler: (app, { year }) => `${app.tenant}: archived ${year}`,
    })
    .action({
      name: "list",
      handler: (app, { year }, call) => `${app.tenant}: ${year}, task ${call?.taskId ?? "none"}`,
    })
    .action({
      name: "fail",
      task: "optional",
      handler: () => {
        throw new RequestError("SERVICE_UNAVAILABLE", "The printer is offline.");
      },
    });
  return { tool, seen };
};

const createServer = (tool: ReturnType<typeof createReports>["tool"], expose: "grouped" | "flat") =>
  defineServer<App>({ name: "reports", version: "1.0.0" }).extension(tasks()).tools(tool, { expose }).build();

const connect = (server: ServerLike<App>, withTasks = true) =>
  createClient<App, ToolMap>(server, {
    context: { tenant: "acme" },
    revision: "2026-07-28",
    tasks: withTasks,
    input: () => ({ action: "accept", content: { approved: true } }),
  });

describe.each(["grouped", "flat"] as const)("an action with a `task` option, exposed %s", (expose) => {
  const nameOf = (action: string) => (expose === "grouped" ? "reports" : `reports_${action}`);
  const toArgs = (action: string, args: object) => (expose === "grouped" ? { action, ...args } : { ...args });

  test("runs as a task, with the arguments and answers of its request", async () => {
    const { tool, seen } = createReports();
    const client = await connect(createServer(tool, expose));
    const task = await client.startTask(nameOf("render"), toArgs("render", { year: 2026, pages: 3 }));
    expect(await task.result()).toMatchObject({ content: [{ text: "acme: 3 pages for 2026" }] });
    expect(seen.taskIds).toEqual([task.taskId]);
    expect(seen.prepared).toEqual([
      ["acme", { year: 2026, pages: 3 }],
      ["acme", { year: 2026, pages: 3 }],
    ]);
  });

  test("leaves the tool's other actions in their request", async () => {
    const client = await connect(createServer(createReports().tool, expose));
    await expect(client.startTask(nameOf("list"), toArgs("list", { year: 2026 }))).rejects.toThrow(
      "did not create a task",
    );
    expect(await client.callTool(nameOf("list"), toArgs("list", { year: 2026 }))).toMatchObject({
      content: [{ text: "acme: 2026, task none" }],
    });
  });

  test("runs in its request for a client without tasks, unless a task is required", async () => {
    const { tool, seen } = createReports();
    const client = await connect(createServer(tool, expose), false);
    expect(await client.callTool(nameOf("render"), toArgs("render", { year: 2026 }))).toMatchObject({
      content: [{ text: "acme: 1 pages for 2026" }],
    });
    expect(seen.taskIds.at(-1)).toBeUndefined();
    await expect(client.callTool(nameOf("archive"), toArgs("archive", { year: 2026 }))).rejects.toMatchObject(
      { code: -32021 },
    );
  });

  test("fails with the error that the action throws as a request error", async () => {
    const client = await connect(createServer(createReports().tool, expose));
    const task = await client.startTask(nameOf("fail"), toArgs("fail", { year: 2026 }));
    await expect(task.result()).rejects.toThrow("The printer is offline.");
    expect(await task.get()).toMatchObject({ status: "failed" });
  });

  test("rejects invalid arguments in the request, before a task exists", async () => {
    const { tool, seen } = createReports();
    const client = await connect(createServer(tool, expose));
    const result = await client.callTool(nameOf("render"), toArgs("render", { year: "now" }));
    expect(result).toMatchObject({ isError: true });
    expect(seen.prepared).toEqual([]);
  });
});

describe("an action with a `task` option", () => {
  test("hides the action key from `prepare` and shows it to middleware", async () => {
    const { tool, seen } = createReports();
    tool.use((_app, args, next, call) => {
      seen.middleware.push([args["action"], call?.taskId]);
      return next();
    });
    const client = await connect(createServer(tool, "grouped"));
    const task = await client.startTask("reports", { action: "render", year: 2026 });
    await task.result();
    expect(seen.prepared[0]).toEqual(["acme", { year: 2026, pages: 1 }]);
    expect(seen.middleware).toEqual([["render", task.taskId]]);
  });

  test("gets the context from `contextFactory`, in `prepare` and in the task", async () => {
    const { tool, seen } = createReports();
    const server: Server = defineServer({ name: "reports", version: "1.0.0" }).extension(tasks()).build();
    new ToolRegistry<App>()
      .register(tool)
      .attachToServer(server, { contextFactory: () => ({ tenant: "made" }) });
    const client = await createClient(server, {
      tasks: true,
      input: () => ({ action: "accept", content: { approved: true } }),
    });
    const result = await client.callTool("reports", { action: "render", year: 2026 });
    expect(result).toMatchObject({ content: [{ text: "made: 1 pages for 2026" }] });
    expect(seen.prepared[0]).toEqual(["made", { year: 2026, pages: 1 }]);
  });

  test("runs in its request without a server", async () => {
    const { tool } = createReports();
    const result = await tool.execute({ tenant: "acme" }, { action: "archive", year: 2026 });
    expect(result).toMatchObject({ content: [{ text: "acme: archived 2026" }] });
  });

  test("runs in its request on an official SDK server, also with `required`", async () => {
    const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { InMemoryTransport } = await import("@modelcontextprotocol/sdk/inMemory.js");
    const server = new McpServer({ name: "official", version: "1.0.0" });
    new ToolRegistry<App>()
      .register(createReports().tool)
      .attachToServer(server, { contextFactory: () => ({ tenant: "acme" }) });
    const client = new Client({ name: "test", version: "1.0.0" });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    const result = await client.callTool({ name: "reports", arguments: { action: "archive", year: 2026 } });
    expect(result).toMatchObject({ content: [{ text: "acme: archived 2026" }] });
    await client.close();
  });

  test("is part of the action's metadata", () => {
    const modes = createReports()
      .tool.getActionMetadata()
      .map(({ key, task }) => [key, task]);
    expect(modes).toEqual([
      ["render", "optional"],
      ["archive", "required"],
      ["list", undefined],
      ["fail", "optional"],
    ]);
  });

  test("works in a group, and names the action in errors", () => {
    const handler = vi.fn();
    const build = (task: unknown) =>
      createTool("reports").group("yearly", (group) =>
        group.action({ name: "render", task: task as "optional", handler }),
      );
    expect(build("optional").getActionMetadata()[0]).toMatchObject({
      key: "yearly.render",
      task: "optional",
    });
    expect(() => build("always")).toThrow(
      'Action "yearly.render": `task` must be "optional", "required", or an object with one of them as `mode`; got a string.',
    );
    expect(() => build({ mode: "optional", ttl: 5 })).toThrow("ttlMs");
  });
});
