import type * as official from "@modelcontextprotocol/server";
import type { serveStdio as officialServeStdio } from "@modelcontextprotocol/server/stdio";
import { tasks } from "tenon/tasks";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import * as tenon from "../../src/v2/index.js";
import { McpServer as OwnMcpServer } from "../../src/v2/server/mcp-server.js";
import type { RegisteredTool as OwnRegisteredTool } from "../../src/v2/types.js";
import type { InputRequiredResult, ServerContext, StandardSchemaWithJSON } from "../../src/v2/types.js";

const done = { content: [{ type: "text" as const, text: "done" }] };

describe("with the official package", () => {
  test("objects have its types", () => {
    const server = new tenon.McpServer(
      { name: "a", version: "1" },
      { capabilities: { logging: {} }, exposeErrors: false },
    );
    expectTypeOf(server).toExtend<official.McpServer>();
    expectTypeOf(server.server).toEqualTypeOf<official.Server>();
    expectTypeOf(new tenon.Server({ name: "a", version: "1" })).toEqualTypeOf<official.Server>();
    expectTypeOf(tenon.createMcpHandler).toExtend<typeof official.createMcpHandler>();
    expectTypeOf(tenon.inputRequired).toEqualTypeOf<typeof official.inputRequired>();
    expectTypeOf(tenon.serveStdio).toExtend<typeof officialServeStdio>();
    expectTypeOf<tenon.CallToolResult>().toEqualTypeOf<official.CallToolResult>();
    expectTypeOf<tenon.ProtocolError>().toEqualTypeOf<official.ProtocolError>();
    expectTypeOf<tenon.McpServerFactory>().toEqualTypeOf<official.McpServerFactory>();
  });

  test("functions that serve accept their own limits", () => {
    const create = () => new tenon.McpServer({ name: "a", version: "1" });
    tenon.createMcpHandler(create, { legacy: "reject", maxValues: 1 });
    tenon.legacyStatelessFallback(create, undefined, { maxRequestBodySize: 1, maxValues: 1 });
    expectTypeOf<tenon.ServeStdioOptions>().toHaveProperty("maxQueueBytes");
    // @ts-expect-error the option belongs to another function
    tenon.createMcpHandler(create, { maxQueueBytes: 1 });
    expectTypeOf(tenon.legacyStatelessFallback).toExtend<typeof official.legacyStatelessFallback>();
    expectTypeOf(tenon.createMcpHandler).returns.toEqualTypeOf<official.McpHttpHandler>();
  });

  test("registerTool accepts `task`, with the official callback types", () => {
    const server = new tenon.McpServer({ name: "a", version: "1" }).extension(tasks());
    const tool = server.registerTool(
      "task",
      { inputSchema: z.object({ a: z.string().transform(Number) }), task: "optional" },
      (args, ctx) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number }>();
        expectTypeOf(ctx).toEqualTypeOf<official.ServerContext>();
        return done;
      },
    );
    expectTypeOf(tool).toEqualTypeOf<official.RegisteredTool>();
    // @ts-expect-error the mode is unknown
    server.registerTool("wrong", { task: "always" }, () => done);
    new OwnMcpServer({ name: "own", version: "1" }).registerTool("task", { task: "optional" }, () => done);
  });

  test("registrations accept `scopes`, with the official callback types", () => {
    const server = new tenon.McpServer({ name: "a", version: "1" });
    const scopes = ["admin"];
    const inputSchema = z.object({ a: z.string().transform(Number) });
    const tool = server.registerTool("t", { inputSchema, scopes }, (args, ctx) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number }>();
      expectTypeOf(ctx).toEqualTypeOf<official.ServerContext>();
      return done;
    });
    expectTypeOf(tool).toEqualTypeOf<official.RegisteredTool>();
    const prompt = server.registerPrompt(
      "p",
      { argsSchema: z.object({ who: z.string() }), scopes },
      ({ who }) => {
        expectTypeOf(who).toEqualTypeOf<string>();
        return { messages: [] };
      },
    );
    expectTypeOf(prompt).toEqualTypeOf<official.RegisteredPrompt>();
    const resource = server.registerResource("r", "a://b", { mimeType: "text/plain", scopes }, (uri, ctx) => {
      expectTypeOf(uri).toEqualTypeOf<URL>();
      expectTypeOf(ctx).toEqualTypeOf<official.ServerContext>();
      return { contents: [] };
    });
    expectTypeOf(resource).toEqualTypeOf<official.RegisteredResource>();
    const template = new tenon.ResourceTemplate("t://{a}", { list: undefined });
    server.registerResource("t", template, { scopes }, (_uri, variables) => {
      expectTypeOf(variables).toEqualTypeOf<official.Variables>();
      return { contents: [] };
    });
  });

  test("callbacks receive the output type of their schema", () => {
    const server = new tenon.McpServer({ name: "a", version: "1" });
    const tool = server.registerTool(
      "t",
      { inputSchema: z.object({ a: z.string().transform(Number) }) },
      (args, ctx) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number }>();
        expectTypeOf(ctx).toEqualTypeOf<official.ServerContext>();
        return done;
      },
    );
    expectTypeOf(tool).toEqualTypeOf<official.RegisteredTool>();
    server.registerTool("raw", { inputSchema: { a: z.string() } }, ({ a }) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      return done;
    });
  });

  test("a factory may return our server", () => {
    tenon.createMcpHandler(() => new tenon.McpServer({ name: "a", version: "1" }));
    tenon.serveStdio(async () => Promise.resolve(new tenon.McpServer({ name: "a", version: "1" })));
  });

  test("Tenon's members are typed", () => {
    const server = new tenon.McpServer({ name: "a", version: "1" });
    expectTypeOf(server.build()).toEqualTypeOf<tenon.DropInServer>();
  });
});

describe("without the official package", () => {
  const server = new OwnMcpServer({ name: "types", version: "1" });

  test("callbacks receive the output type of a Standard Schema", () => {
    const tool = server.registerTool(
      "schema",
      { inputSchema: z.object({ a: z.string().transform(Number), b: z.string().optional() }) },
      (args, ctx) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string | undefined }>();
        expectTypeOf(ctx).toEqualTypeOf<ServerContext>();
        return done;
      },
    );
    expectTypeOf(tool).toEqualTypeOf<OwnRegisteredTool>();
    const other = {} as StandardSchemaWithJSON<{ n: string }, { n: number }>;
    server.registerTool("other", { inputSchema: other }, ({ n }) => {
      expectTypeOf(n).toEqualTypeOf<number>();
      return done;
    });
  });

  test("callbacks receive the output type of a raw shape", () => {
    server.registerTool("shape", { inputSchema: { a: z.string(), b: z.number().optional() } }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string; b?: number | undefined }>();
      return done;
    });
    server.registerPrompt("prompt", { argsSchema: z.object({ who: z.string() }) }, ({ who }, ctx) => {
      expectTypeOf(who).toEqualTypeOf<string>();
      expectTypeOf(ctx.mcpReq.signal).toEqualTypeOf<AbortSignal>();
      return { messages: [] };
    });
  });

  test("callbacks without a schema receive only ctx, and may ask for input", () => {
    server.registerTool("none", {}, (ctx) => {
      expectTypeOf(ctx).toEqualTypeOf<ServerContext>();
      return { resultType: "input_required", requestState: "s" } satisfies InputRequiredResult;
    });
    server.registerResource("r", "a://b", { cacheHint: { ttlMs: 1 } }, (uri, ctx) => {
      expectTypeOf(uri).toEqualTypeOf<URL>();
      expectTypeOf(ctx).toEqualTypeOf<ServerContext>();
      return { contents: [] };
    });
  });

  test("registrations accept `scopes`, and callbacks keep their types", () => {
    const scopes = ["admin"];
    server.registerTool("t", { inputSchema: z.object({ a: z.string() }), scopes }, ({ a }, ctx) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      expectTypeOf(ctx).toEqualTypeOf<ServerContext>();
      return done;
    });
    server.registerPrompt("p", { argsSchema: z.object({ who: z.string() }), scopes }, ({ who }) => {
      expectTypeOf(who).toEqualTypeOf<string>();
      return { messages: [] };
    });
    server.registerResource("r", "a://b", { cacheHint: { ttlMs: 1 }, scopes }, (uri) => {
      expectTypeOf(uri).toEqualTypeOf<URL>();
      return { contents: [] };
    });
    // @ts-expect-error -- scopes are strings
    server.registerTool("wrong", { scopes: [1] }, () => done);
  });

  test("results must have content blocks", () => {
    // @ts-expect-error -- a text block needs text
    server.registerTool("wrong", {}, () => ({ content: [{ type: "text" as const }] }));
  });
});
