import type {
  McpServer as Official,
  RegisteredTool as OfficialTool,
} from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  type CallToolResult,
  type CreateMessageResult,
  type ElicitResult,
  type Implementation,
  RootsListChangedNotificationSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { ServerLike } from "tenon";
import { tasks } from "tenon/tasks";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import type { IfInstalled } from "../../src/official-packages.js";
import {
  type CallToolResult as OwnResult,
  type McpExtra,
  McpServer,
  type McpServerOptions,
  type RegisteredTool,
  ResourceTemplate,
  type ToolCallback,
} from "../../src/index.js";
import { McpServer as Own } from "../../src/v1/mcp-server.js";

const server = new McpServer({ name: "types", version: "1" });
const done = { content: [{ type: "text" as const, text: "done" }] };

describe("with the official SDK installed", () => {
  test("the drop-in is an official server and a Tenon server", () => {
    expectTypeOf(server).toExtend<Official>();
    expectTypeOf(server).toExtend<ServerLike<unknown>>();
    expectTypeOf<RegisteredTool>().toExtend<OfficialTool>();
    // A library function that was written for the official class.
    const install = (target: Official) => target.registerTool("lib", {}, () => done);
    install(server);
  });

  test("request and notification handlers receive the type of their schema", () => {
    server.server.setRequestHandler(SubscribeRequestSchema, (request) => {
      expectTypeOf(request.params.uri).toEqualTypeOf<string>();
      return {};
    });
    server.server.setNotificationHandler(RootsListChangedNotificationSchema, (notification) => {
      expectTypeOf(notification.method).toEqualTypeOf<"notifications/roots/list_changed">();
    });
    server.server.setRequestHandler("acme/method", () => ({}));
  });

  test("callbacks may be typed with the official SDK's types", () => {
    const callback = async (
      { a }: { a: string },
      extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
    ): Promise<CallToolResult> => ({ content: [{ type: "text", text: `${a} ${extra.requestId}` }] });
    server.registerTool("typed", { inputSchema: { a: z.string() } }, callback);
    expectTypeOf(callback).toExtend<ToolCallback<{ a: z.ZodString }>>();
    expectTypeOf<McpExtra>().toEqualTypeOf<RequestHandlerExtra<ServerRequest, ServerNotification>>();
    expectTypeOf<OwnResult>().toEqualTypeOf<CallToolResult>();
  });

  test("requests to the client have the official parameters and results", () => {
    const { server: low } = server;
    expectTypeOf(
      low.createMessage({ messages: [], maxTokens: 1 }),
    ).resolves.toEqualTypeOf<CreateMessageResult>();
    expectTypeOf(
      low.elicitInput({ message: "?", requestedSchema: { type: "object", properties: {} } }),
    ).resolves.toEqualTypeOf<ElicitResult>();
    expectTypeOf(low.listRoots()).resolves.toHaveProperty("roots").toExtend<{ uri: string }[]>();
    expectTypeOf(low.getClientVersion()).toEqualTypeOf<Implementation | undefined>();
    expectTypeOf(low.createElicitationCompletionNotifier("1", { relatedRequestId: 1 })).toBeFunction();
    expectTypeOf(server.sendLoggingMessage({ level: "info", data: 1 }, "session")).resolves.toBeVoid();
  });

  test("the official options and Tenon's are accepted", () => {
    const options: McpServerOptions = {
      capabilities: { logging: {} },
      enforceStrictCapabilities: true,
      debouncedNotificationMethods: ["notifications/tools/list_changed"],
      exposeErrors: false,
    };
    expectTypeOf(new McpServer({ name: "a", version: "1" }, options)).toEqualTypeOf<McpServer>();
    // @ts-expect-error unknown option
    const wrong: McpServerOptions = { timeout: 1 };
    expectTypeOf(wrong).toExtend<object>();
  });

  test("official and Tenon transports can be connected", () => {
    expectTypeOf(server.connect(new StdioServerTransport())).resolves.toBeVoid();
    expectTypeOf(server.connect({ type: "http", port: 3000 })).resolves.toBeVoid();
  });

  test("the drop-in can be extended", () => {
    class Mine extends McpServer {
      greet(): boolean {
        return this.isConnected();
      }
    }
    expectTypeOf(new Mine({ name: "a", version: "1" })).toExtend<Official>();
  });

  test("registrations accept `scopes`, and callbacks keep their types", () => {
    const scopes = ["admin"];
    server.registerTool("t", { inputSchema: { a: z.string() }, scopes }, ({ a }) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      return { content: [] };
    });
    const prompt = server.registerPrompt("p", { argsSchema: { a: z.string() }, scopes }, ({ a }, extra) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      expectTypeOf(extra).toEqualTypeOf<McpExtra>();
      return { messages: [] };
    });
    expectTypeOf(prompt).toHaveProperty("disable");
    server.registerResource("r", "a://b", { mimeType: "text/plain", scopes }, (uri) => {
      expectTypeOf(uri).toEqualTypeOf<URL>();
      return { contents: [] };
    });
    const template = new ResourceTemplate("t://{a}", { list: undefined });
    server.registerResource("t", template, { scopes }, (_uri, variables) => {
      expectTypeOf(variables).toExtend<Record<string, string | string[]>>();
      return { contents: [] };
    });
    // @ts-expect-error -- scopes are strings
    server.registerTool("wrong", { scopes: [1] }, () => ({ content: [] }));
  });

  test("our `ResourceTemplate` is accepted", () => {
    const template = new ResourceTemplate("a://{b}", { list: undefined });
    server.registerResource("t", template, {}, (uri, variables) => {
      expectTypeOf(variables).toEqualTypeOf<Record<string, string | string[]>>();
      return { contents: [{ uri: uri.href, text: "" }] };
    });
  });
});

describe("tasks", () => {
  test("registerTool accepts `task`, with the official SDK's callback types", () => {
    const tool = server
      .extension(tasks())
      .registerTool(
        "task",
        { inputSchema: { a: z.string().transform(Number) }, task: { mode: "optional", ttlMs: null } },
        ({ a }, extra) => {
          expectTypeOf(a).toEqualTypeOf<number>();
          expectTypeOf(extra).toEqualTypeOf<RequestHandlerExtra<ServerRequest, ServerNotification>>();
          return done;
        },
      );
    expectTypeOf(tool).toEqualTypeOf<OfficialTool>();
    server.registerTool("plain", { task: "required" }, () => done);
    // @ts-expect-error the mode is unknown
    server.registerTool("wrong", { task: "always" }, () => done);
    // @ts-expect-error a text block needs text
    server.registerTool("wrong", { task: "required" }, () => ({ content: [{ type: "text" as const }] }));
    // @ts-expect-error `McpServer` does not support `prepare`
    server.registerTool("wrong", { task: { mode: "required", prepare: () => {} } }, () => done);
  });

  test("our own class accepts `task` too", () => {
    new Own({ name: "own", version: "1" })
      .extension(tasks())
      .registerTool("task", { inputSchema: { a: z.number() }, task: "optional" }, ({ a }) => {
        expectTypeOf(a).toEqualTypeOf<number>();
        return done;
      });
  });
});

describe("Zod 3 and Zod 4", () => {
  test("callbacks receive the output type of the schema", () => {
    const inputSchema = { a: z3.string(), n: z3.coerce.number() };
    server.registerTool("v3", { inputSchema }, ({ a, n }) => {
      expectTypeOf({ a, n }).toEqualTypeOf<{ a: string; n: number }>();
      return done;
    });
    new Own({ name: "own", version: "1" }).registerTool("v3", { inputSchema }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string; n: number }>();
      return done;
    });
    server.registerTool("v3-object", { inputSchema: z3.object({ a: z3.string() }) }, ({ a }) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      return done;
    });
  });
});

describe("without the official SDK", () => {
  // @ts-ignore: stands for a package that is not installed
  // oxlint-disable-next-line typescript/consistent-type-imports
  type Missing = import("not-installed").Thing;

  test("our own types are used", () => {
    expectTypeOf<IfInstalled<Missing, "installed", "own">>().toEqualTypeOf<"own">();
    expectTypeOf<IfInstalled<Official, "installed", "own">>().toEqualTypeOf<"installed">();
  });

  test("our own class types request handlers too", () => {
    const own = new Own({ name: "own", version: "1" });
    const schema = z.object({ method: z.literal("acme/add"), params: z.object({ n: z.number() }) });
    own.server.setRequestHandler(schema, ({ params }) => {
      expectTypeOf(params.n).toEqualTypeOf<number>();
      return {};
    });
  });
});
