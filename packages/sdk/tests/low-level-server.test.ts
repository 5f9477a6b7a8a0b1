import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as Official, type ServerOptions } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  type ClientCapabilities,
  CompleteRequestSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  GetPromptRequestSchema,
  GetTaskRequestSchema,
  InitializedNotificationSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsRequestSchema,
  ListToolsRequestSchema,
  McpError,
  PingRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { checkRepliesOf } from "../../../tests/support/check-every-reply.js";
import { Server } from "../src/index.js";
import { DropInServer } from "../src/server/drop-in-server.js";
import { outcomeOf, settle } from "./support/both-sides.js";

checkRepliesOf(DropInServer);

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type Wire = "memory" | "http";
const WIRES: readonly Wire[] = ["memory", "http"];

interface Side {
  readonly server: Official;
  readonly client: Client;
  readonly heard: { readonly method: string; readonly params?: unknown }[];
  readonly errors: string[];
}

interface SideOptions {
  readonly server?: ServerOptions;
  readonly capabilities?: ClientCapabilities;
  readonly prepare?: (client: Client) => void;
}

const INFO = { name: "low", version: "1.2.3", title: "Low-level" };
const ANY = z.looseObject({});
const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

async function start(
  server: Official,
  wire: Wire,
  [register, options]: readonly [(server: Official) => unknown, SideOptions],
): Promise<Side> {
  const errors: string[] = [];
  server.onerror = (error) => errors.push(error.message);
  register(server);
  const client = new Client({ name: "c", version: "1" }, { capabilities: options.capabilities ?? {} });
  const heard: Side["heard"] = [];
  client.fallbackNotificationHandler = async (message) => void heard.push(message);
  options.prepare?.(client);
  if (wire === "memory") {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    await client.connect(near);
  } else {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
    await server.connect(transport);
    const http = createServer((req, res) => void transport.handleRequest(req, res));
    await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
    closers.push(() => {
      http.closeAllConnections();
      return new Promise((resolve) => void http.close(resolve));
    });
  }
  closers.push(() => client.close());
  return { server, client, heard, errors };
}

/** Runs the same code on the official server and on ours. Returns both outcomes, the official one first. */
async function compare(
  wire: Wire,
  [register, options = {}]: readonly [(server: Official) => unknown, SideOptions?],
  ask: (side: Side) => Promise<unknown>,
): Promise<readonly [unknown, unknown]> {
  const first = await start(new Official(INFO, options.server), wire, [register, options]);
  const second = await start(new Server(INFO, options.server), wire, [register, options]);
  return [plain(await outcomeOf(ask(first))), plain(await outcomeOf(ask(second)))];
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");
const nothing = () => undefined;
const FULL: ServerOptions = {
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true },
    prompts: {},
    logging: {},
    completions: {},
  },
};
const ECHO = (server: Official) =>
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => text(`${params.name}!`));

describe.each(WIRES)("the low-level Server, over %s", (wire) => {
  test.each<[string, ServerOptions]>([
    ["nothing", {}],
    ["tools", { capabilities: { tools: {} } }],
    ["everything", FULL],
    [
      "experimental capabilities and instructions",
      { capabilities: { experimental: { a: { b: 1 } } }, instructions: "Be brief." },
    ],
    ["tasks", { capabilities: { tasks: { list: {}, requests: { tools: { call: {} } } } } }],
  ])("declares exactly what the application declares: %s", async (_, server) => {
    const [wanted, given] = await compare(wire, [nothing, { server }], async ({ client }) => [
      client.getServerCapabilities(),
      client.getServerVersion(),
      client.getInstructions() ?? null,
    ]);
    expect(wanted).toMatchObject({ answer: [server.capabilities ?? {}, INFO, server.instructions ?? null] });
    expect(given).toEqual(wanted);
  });

  test.each([
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "tasks/get",
    "example/unknown",
  ])("%s does not exist without a handler", async (method) => {
    const [wanted, given] = await compare(wire, [nothing, { server: FULL }], ({ client }) =>
      client.request({ method, params: { name: "a", uri: "a://b" } }, ANY),
    );
    expect(wanted).toMatchObject({ refused: { code: -32601 } });
    expect(given).toEqual(wanted);
  });

  test.each([
    ["with the capability", FULL, true],
    ["without the capability", {}, false],
  ])("handles logging/setLevel %s", async (_, server, works) => {
    const [wanted, given] = await compare(wire, [nothing, { server }], ({ client }) =>
      client.request({ method: "logging/setLevel", params: { level: "error" } }, ANY),
    );
    expect(wanted).toMatchObject(works ? { answer: {} } : { refused: { code: -32601 } });
    expect(given).toEqual(wanted);
  });

  test("handles ping", async () => {
    const [wanted, given] = await compare(wire, [nothing], ({ client }) => client.ping());
    expect(wanted).toEqual({ answer: {} });
    expect(given).toEqual(wanted);
  });

  test.each<[string, (server: Official) => unknown]>([
    ["tools/list", (server) => server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }))],
    ["tools/call", ECHO],
    [
      "resources/list",
      (server) => server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] })),
    ],
    [
      "resources/templates/list",
      (server) =>
        server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] })),
    ],
    [
      "resources/read",
      (server) => server.setRequestHandler(ReadResourceRequestSchema, () => ({ contents: [] })),
    ],
    ["prompts/list", (server) => server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [] }))],
    ["prompts/get", (server) => server.setRequestHandler(GetPromptRequestSchema, () => ({ messages: [] }))],
    [
      "completion/complete",
      (server) => server.setRequestHandler(CompleteRequestSchema, () => ({ completion: { values: [] } })),
    ],
    ["logging/setLevel", (server) => server.setRequestHandler(SetLevelRequestSchema, () => ({}))],
    ["tasks/get", (server) => server.setRequestHandler(GetTaskRequestSchema, () => ({}))],
    ["ping", (server) => server.setRequestHandler(PingRequestSchema, () => ({}))],
  ])("a handler for %s needs the capability", async (_, register) => {
    const failures: unknown[] = [];
    const attempt = (server: Official) => {
      try {
        register(server);
        failures.push("registered");
      } catch (error) {
        failures.push((error as Error).message);
      }
    };
    await compare(wire, [attempt], async () => undefined);
    expect(failures[0]).toMatch(/^Server does not support .* \(required for .*\)$|^registered$/);
    expect(failures[1]).toEqual(failures[0]);
  });

  test.each<[string, (server: Official) => Promise<unknown>]>([
    ["sendToolListChanged", (server) => server.sendToolListChanged()],
    ["sendResourceListChanged", (server) => server.sendResourceListChanged()],
    ["sendPromptListChanged", (server) => server.sendPromptListChanged()],
    ["sendResourceUpdated", (server) => server.sendResourceUpdated({ uri: "a://b" })],
    [
      "a log message",
      (server) =>
        server.notification({ method: "notifications/message", params: { level: "info", data: 1 } }),
    ],
    ["sendLoggingMessage", (server) => server.sendLoggingMessage({ level: "info", data: 1 })],
    [
      "a completed elicitation",
      (server) =>
        server.notification({
          method: "notifications/elicitation/complete",
          params: { elicitationId: "a" },
        }),
    ],
    [
      "progress",
      (server) =>
        server.notification({ method: "notifications/progress", params: { progressToken: 1, progress: 1 } }),
    ],
  ])("%s needs the capability", async (_, send) => {
    const [wanted, given] = await compare(
      wire,
      [nothing],
      async ({ server }) => (await send(server)) ?? "sent",
    );
    expect(JSON.stringify(wanted)).toMatch(/does not support|sent/);
    expect(given).toEqual(wanted);
  });

  test("sends notifications with the capability", async () => {
    const [wanted, given] = await compare(wire, [nothing, { server: FULL }], async ({ server, heard }) => {
      if (wire === "http") await settle();
      await server.sendToolListChanged();
      await server.sendResourceListChanged();
      await server.sendPromptListChanged();
      await server.sendResourceUpdated({ uri: "a://b" });
      await server.sendLoggingMessage({ level: "info", data: { a: 1 }, logger: "l" });
      await vi.waitFor(() => expect(heard).toHaveLength(5));
      // Our list changes have empty `params`, which mean the same.
      return heard.map(({ method, params = {} }) => ({ method, params }));
    });
    expect(wanted).toMatchObject({
      answer: [{ method: "notifications/tools/list_changed" }, {}, {}, {}, {}],
    });
    expect(given).toEqual(wanted);
  });

  test("respects the client's log level", async () => {
    const [wanted, given] = await compare("memory", [nothing, { server: FULL }], async (side) => {
      await side.client.setLoggingLevel("error");
      await side.server.sendLoggingMessage({ level: "info", data: "low" });
      await side.server.sendLoggingMessage({ level: "alert", data: "high" });
      await vi.waitFor(() => expect(side.heard).toHaveLength(1));
      return side.heard;
    });
    expect(wanted).toMatchObject({ answer: [{ params: { data: "high" } }] });
    expect(given).toEqual(wanted);
  });

  test("runs handlers, with extra", async () => {
    const register = (server: Official) => {
      server.setRequestHandler(ListToolsRequestSchema, () => ({
        tools: [{ name: "a", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } }],
        nextCursor: "2",
        _meta: { x: 1 },
      }));
      server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
        const params2 = { level: "info", data: params.arguments } as const;
        await extra.sendNotification({ method: "notifications/message", params: params2 });
        return text(JSON.stringify([typeof extra.requestId, extra.signal.aborted, extra._meta]));
      });
    };
    const [wanted, given] = await compare(wire, [register, { server: FULL }], async ({ client, heard }) => {
      const list = await client.listTools();
      const result = await client.callTool({ name: "a", arguments: { b: 1 }, _meta: { c: 2 } });
      await vi.waitFor(() => expect(heard).toHaveLength(1));
      return [list, result, heard];
    });
    expect(wanted).toMatchObject({ answer: [{ tools: [{ name: "a" }], nextCursor: "2" }, {}, [{}]] });
    expect(given).toEqual(wanted);
  });

  test.each<[string, () => unknown]>([
    ["an error", () => Promise.reject(new Error("boom"))],
    ["an McpError", () => Promise.reject(new McpError(-32050, "mine", { a: 1 }))],
    ["an error with another code", () => Promise.reject(Object.assign(new Error("db"), { code: 42 }))],
    ["an error with a text code", () => Promise.reject(Object.assign(new Error("fs"), { code: "ENOENT" }))],
  ])("returns %s as a JSON-RPC error", async (_, fail) => {
    const register = (server: Official) => server.setRequestHandler(CallToolRequestSchema, fail as never);
    const [wanted, given] = await compare(wire, [register, { server: FULL }], ({ client }) =>
      client.request({ method: "tools/call", params: { name: "a" } }, ANY),
    );
    expect(wanted).toMatchObject({ refused: {} });
    expect(given).toEqual(wanted);
  });

  test.each<[string, unknown]>([
    ["no result", undefined],
    ["a text", "text"],
    ["an unknown block", { content: [{ type: "video" }] }],
    ["structured content that is not an object", { content: [], structuredContent: [1] }],
    ["isError that is not a boolean", { content: [], isError: "yes" }],
    ["metadata that is not an object (drop-in B4)", { content: [], _meta: 5 }],
  ])("D12: rejects the result of a tool: %s", async (_, result) => {
    const register = (server: Official) =>
      server.setRequestHandler(CallToolRequestSchema, () => result as never);
    const [wanted, given] = await compare(wire, [register, { server: FULL }], ({ client }) =>
      client.request({ method: "tools/call", params: { name: "a" } }, ANY),
    );
    const refused = {
      code: -32602,
      message: expect.stringContaining("MCP error -32602: Invalid tools/call result: ") as string,
    };
    // The official text continues with the validator's output.
    expect(wanted).toMatchObject({ refused });
    expect(given).toMatchObject({ refused });
  });

  test("adds missing content to the result of a tool", async () => {
    const register = (server: Official) =>
      server.setRequestHandler(CallToolRequestSchema, () => ({ structuredContent: { a: 1 }, _meta: {} }));
    const [wanted, given] = await compare(wire, [register, { server: FULL }], ({ client }) =>
      client.request({ method: "tools/call", params: { name: "a" } }, ANY),
    );
    expect(wanted).toEqual({ answer: { content: [], structuredContent: { a: 1 }, _meta: {} } });
    expect(given).toEqual(wanted);
  });

  test("uses the fallback handler for other methods", async () => {
    const register = (server: Official) => {
      server.fallbackRequestHandler = async ({ method, params }) => ({ method, params, tools: [] });
    };
    const [wanted, given] = await compare(wire, [register, { server: FULL }], async ({ client }) => [
      await client.request({ method: "tools/list", params: { cursor: "a" } }, ANY),
      await client.request({ method: "example/other", params: { b: 1 } }, ANY),
      await client.ping(),
    ]);
    expect(wanted).toMatchObject({ answer: [{ method: "tools/list" }, { method: "example/other" }, {}] });
    expect(given).toEqual(wanted);
  });

  test("handlers can be replaced and removed, built-in ones too", async () => {
    const steps = (server: Official): unknown[] =>
      ["ping", "logging/setLevel", "tools/list"].map((method) => {
        try {
          server.assertCanSetRequestHandler(method);
          return "free";
        } catch (error) {
          return (error as Error).message;
        }
      });
    const register = (server: Official) => {
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
      server.removeRequestHandler("tools/list");
    };
    const [wanted, given] = await compare(wire, [register, { server: FULL }], async ({ server, client }) => {
      const before = steps(server);
      server.removeRequestHandler("ping");
      const gone = await outcomeOf(client.ping());
      server.setRequestHandler(PingRequestSchema, () => ({}));
      return [before, steps(server), gone, await client.ping(), await outcomeOf(client.listTools())];
    });
    expect(JSON.stringify(wanted)).toContain("A request handler for ping already exists");
    expect(given).toEqual(wanted);
  });

  test("tells the application about the client", async () => {
    const seen: unknown[] = [];
    const register = (server: Official) => {
      server.oninitialized = () =>
        seen.push(plain([server.getClientVersion(), server.getClientCapabilities()]));
    };
    const capabilities = { roots: { listChanged: true }, sampling: {} };
    await compare(wire, [register, { capabilities }], async ({ client }) => client.ping());
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    expect(seen[0]).toEqual([{ name: "c", version: "1" }, capabilities]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("a handler for the initialized notification replaces oninitialized", async () => {
    const seen: string[] = [];
    const register = (server: Official) => {
      server.oninitialized = () => seen.push("default");
      server.setNotificationHandler(InitializedNotificationSchema, () => void seen.push("own"));
    };
    await compare(wire, [register], async ({ client }) => client.ping());
    await vi.waitFor(() => expect(seen).toEqual(["own", "own"]));
  });

  const ROOTS = { roots: [{ uri: "file:///a" }] };
  const answering: SideOptions = {
    server: FULL,
    capabilities: { roots: {}, sampling: {}, elicitation: { form: {} } },
    prepare(client) {
      client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { a: "b" } }));
      client.setRequestHandler(CreateMessageRequestSchema, () => ({
        role: "assistant",
        model: "m",
        content: { type: "text", text: "Hi" },
      }));
    },
  };
  const FORM = {
    message: "?",
    requestedSchema: { type: "object" as const, properties: { a: { type: "string" as const } } },
  };
  const PROMPT = { messages: [], maxTokens: 1 };

  test.each<[string, (server: Official) => Promise<unknown>]>([
    ["listRoots", (server) => server.listRoots()],
    ["elicitInput", (server) => server.elicitInput(FORM)],
    ["createMessage", (server) => server.createMessage(PROMPT)],
    ["ping", (server) => server.ping()],
    ["request", (server) => server.request({ method: "roots/list" }, ANY)],
  ])("%s asks the client, in and outside a handler", async (_, ask) => {
    const register = (server: Official) =>
      server.setRequestHandler(CallToolRequestSchema, async () => text(JSON.stringify(await ask(server))));
    const [wanted, given] = await compare(wire, [register, answering], async ({ server, client }) => {
      const inside = (await client.callTool({ name: "a" })) as ReturnType<typeof text>;
      return [JSON.parse(inside.content[0]?.text ?? "") as unknown, await ask(server)];
    });
    expect(wanted).toMatchObject({ answer: [{}, {}] });
    expect(given).toEqual(wanted);
  });

  test.each<[string, (server: Official) => Promise<unknown>]>([
    ["listRoots", (server) => server.listRoots()],
    ["createMessage", (server) => server.createMessage(PROMPT)],
    ["createMessage with tools", (server) => server.createMessage({ ...PROMPT, tools: [] })],
    ["elicitInput", (server) => server.elicitInput(FORM)],
    [
      "elicitInput with a URL",
      (server) =>
        server.elicitInput({ mode: "url", message: "?", url: "https://a.example", elicitationId: "1" }),
    ],
    [
      "createElicitationCompletionNotifier",
      async (server) => server.createElicitationCompletionNotifier("a")(),
    ],
  ])("%s fails if the client does not support it", async (_, ask) => {
    for (const enforceStrictCapabilities of [false, true]) {
      const server = { ...FULL, enforceStrictCapabilities };
      const [wanted, given] = await compare(wire, [nothing, { server }], async (side) => ask(side.server));
      expect(wanted).toMatchObject({ refused: {} });
      expect(given).toEqual(wanted);
    }
  });

  test("reports errors in notification handlers", async () => {
    const Example = z.object({
      method: z.literal("notifications/example"),
      params: z.looseObject({}).optional(),
    });
    const register = (server: Official) =>
      server.setNotificationHandler(Example, () => {
        throw new Error("boom");
      });
    const [wanted, given] = await compare(wire, [register], async ({ client, errors }) => {
      await client.notification({ method: "notifications/example" });
      await vi.waitFor(() => expect(errors).toHaveLength(1));
      return errors.map((message) => message.includes("boom"));
    });
    expect(wanted).toEqual({ answer: [true] });
    expect(given).toEqual(wanted);
  });

  test("handles subscriptions with the application's handler", async () => {
    const register = (server: Official) =>
      server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
        await server.sendResourceUpdated({ uri: params.uri });
        return {};
      });
    const [wanted, given] = await compare(wire, [register, { server: FULL }], async ({ client, heard }) => {
      const result = await client.subscribeResource({ uri: "a://b" });
      await vi.waitFor(() => expect(heard).toHaveLength(1));
      return [result, heard];
    });
    expect(wanted).toMatchObject({ answer: [{}, [{ params: { uri: "a://b" } }]] });
    expect(given).toEqual(wanted);
  });

  test("creates tasks with a store, or with the application's handlers", async () => {
    const register = (server: Official) => {
      server.setRequestHandler(CallToolRequestSchema, async ({ params }, { taskStore, taskRequestedTtl }) => {
        if (params.name === "none") return text("no task");
        const task = await taskStore?.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 10 });
        await taskStore?.storeTaskResult(task?.taskId ?? "", "completed", text("done"));
        return { task };
      });
    };
    const [wanted, given] = await compareStores(wire, register, async ({ client }) => {
      const call = (name: string, more: object) =>
        client.request({ method: "tools/call", params: { name, ...more } }, ANY);
      const { task } = (await call("task", { task: { ttl: 1_000 } })) as {
        task: { taskId: string; ttl: number };
      };
      const result = await client.experimental.tasks.getTaskResult(task.taskId, ANY);
      const refused = (await outcomeOf(call("none", { task: {} }))) as { refused: { code: number } };
      return [task.ttl, result["content"], refused.refused.code, await call("none", {})];
    });
    expect(wanted).toMatchObject({ answer: [1_000, text("done").content, -32602, text("no task")] });
    expect(given).toEqual(wanted);
  });
});

/** Like `compare`, with a task store for each server. */
async function compareStores(
  wire: Wire,
  register: (server: Official) => unknown,
  ask: (side: Side) => Promise<unknown>,
): Promise<readonly [unknown, unknown]> {
  const options = () => ({
    capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
    taskStore: new InMemoryTaskStore(),
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  });
  const first = await start(new Official(INFO, options()), wire, [register, {}]);
  const second = await start(new Server(INFO, options()), wire, [register, {}]);
  return [plain(await outcomeOf(ask(first))), plain(await outcomeOf(ask(second)))];
}

test("capabilities can be registered before connecting, not after", async () => {
  const [wanted, given] = await compare(
    "memory",
    [(server) => server.registerCapabilities({ tools: { listChanged: true }, logging: {} })],
    async ({ server, client }) => {
      const late = await outcomeOf(
        Promise.resolve().then(() => server.registerCapabilities({ prompts: {} })),
      );
      // Logging was not declared in the constructor, so its handler does not exist.
      const level = await outcomeOf(
        client.request({ method: "logging/setLevel", params: { level: "error" } }, ANY),
      );
      return [client.getServerCapabilities(), late, level];
    },
  );
  expect(wanted).toMatchObject({
    answer: [{ tools: { listChanged: true } }, { refused: {} }, { refused: { code: -32601 } }],
  });
  expect(given).toEqual(wanted);
});

test.each([
  ["without a method", z.object({ a: z.string() })],
  ["with a method of another type", z.object({ method: z.literal(1) })],
])("a schema %s is rejected", (_, schema) => {
  const messages = [new Official(INFO), new Server(INFO) as Official].map((server) => {
    try {
      server.setRequestHandler(schema as never, nothing as never);
      return "registered";
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(messages[0]).toMatch(/^Schema /);
  expect(messages[1]).toBe(messages[0]);
});
