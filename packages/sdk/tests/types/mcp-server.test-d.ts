import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { McpServer } from "../../src/v1/mcp-server.js";
import { completable } from "../../src/server/registrations/schemas.js";
import type { RegisteredTool } from "../../src/server/registrations/tools.js";
import type { McpExtra, ToolCallback } from "../../src/types.js";

const server = new McpServer({ name: "types", version: "1" });
const done = { content: [{ type: "text" as const, text: "done" }] };

describe("the facade's callbacks", () => {
  test("receive the output type of a raw shape", () => {
    const inputSchema = { a: z.string(), b: z.number().optional(), c: z.string().transform(Number) };
    const tool = server.registerTool("shape", { inputSchema }, (args, extra) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string; b?: number | undefined; c: number }>();
      expectTypeOf(extra).toEqualTypeOf<McpExtra>();
      return done;
    });
    expectTypeOf(tool).toEqualTypeOf<RegisteredTool>();
  });

  test("receive the output type of a schema", () => {
    server.registerTool("schema", { inputSchema: z.object({ a: z.string() }) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string }>();
      return done;
    });
  });

  test("receive only `extra` without a schema", () => {
    server.registerTool("none", {}, (extra) => {
      expectTypeOf(extra).toEqualTypeOf<McpExtra>();
      return done;
    });
    server.tool("older", { a: z.string() }, ({ a }) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      return done;
    });
  });

  test("for prompts receive the output type of the arguments schema", () => {
    const argsSchema = { who: completable(z.string(), (value) => [value]), mood: z.string().optional() };
    server.registerPrompt("prompt", { argsSchema }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ who: string; mood?: string | undefined }>();
      return { messages: [] };
    });
  });

  test("must return content", () => {
    // @ts-expect-error -- a text block needs text
    server.registerTool("wrong", {}, () => ({ content: [{ type: "text" as const }] }));
  });
});

test("first-run-d3: a callback may declare its last argument as `Record<string, unknown>`", () => {
  expectTypeOf<McpExtra>().toExtend<Record<string, unknown>>();
  const callback = async ({ a }: { a: number }, callContext: Record<string, unknown>) => ({
    content: [{ type: "text" as const, text: `${a} ${String(callContext["requestId"])}` }],
  });
  expectTypeOf(callback).toExtend<ToolCallback<{ a: z.ZodNumber }>>();
});

test("first-run-d4: registerTool does not accept a schema as the configuration", () => {
  // @ts-expect-error the schema belongs into `inputSchema`
  server.registerTool("echo", z.object({ text: z.string() }), () => ({ content: [] }));
  // @ts-expect-error the fields belong into `inputSchema`
  server.registerTool("echo", { text: z.string() }, () => ({ content: [] }));
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, () => ({ content: [] }));
});
