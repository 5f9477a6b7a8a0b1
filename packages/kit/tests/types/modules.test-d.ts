import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import {
  type CallToolResult as CallToolResult2,
  McpServer as McpServer2,
} from "@modelcontextprotocol/server";
import * as v from "valibot";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineServer, type ToolResult } from "tenon";
import {
  buildAuthResponse,
  createExtra,
  createHttpError,
  definePromptModule,
  defineResourceModule,
  defineToolModule,
  type ErrorBranch,
  type ErrorResult,
  handleToolError,
  type HttpError,
  jsonResult,
  type ModuleExtra,
  outputVocabulary,
  type Page,
  paged,
  registerPrompts,
  registerResources,
  registerTools,
  toColumnar,
  toErrorBranch,
  type ToolModuleHandler,
  type ToolModule,
  toShape,
} from "../../src/index.js";

interface Db {
  readonly db: { find(id: string): string };
}
interface Clock {
  readonly now: () => number;
}
const info = { name: "types", version: "1.0.0" };
const { branchedOutput, itemOutput, itemsOutput, shapedOutput } = outputVocabulary(z);
const Note = z.object({ id: z.string() });
const find = defineToolModule({
  name: "note-get",
  description: "One note",
  inputSchema: z.object({ id: z.string() }),
  handler: ({ id }, _extra, { db }: Db) => db.find(id),
});
const now = defineToolModule({
  name: "now",
  description: "The time",
  inputSchema: z.object({}),
  handler: (_args, _extra, clock: Clock) => String(clock.now()),
});
const plain = defineToolModule({
  name: "plain",
  description: "Needs nothing",
  inputSchema: z.object({}),
  handler: () => "ok",
});

describe("Z31: a tool module", () => {
  test("has its schema's argument types, for any schema library", () => {
    defineToolModule({
      name: "t",
      description: "t",
      inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
      handler(args, extra) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
        expectTypeOf(extra).toEqualTypeOf<ModuleExtra>();
        return args.city;
      },
    });
    defineToolModule({
      name: "t",
      description: "t",
      inputSchema: toStandardJsonSchema(v.object({ city: v.string() })),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string }>();
        return args.city;
      },
    });
    defineToolModule({
      name: "t",
      description: "t",
      inputSchema: z.object({ city: z.string() }),
      // @ts-expect-error the schema has no "town"
      handler: ({ town }) => String(town),
    });
  });

  test("can be written as a plain object, as in the requirements", () => {
    const echo: ToolModule<{ text: string }, unknown, Db> = {
      name: "echo",
      description: "Says it again",
      inputSchema: z.object({ text: z.string() }),
      handler: (args) => args.text,
    };
    expectTypeOf<Parameters<typeof echo.handler>[0]>().toEqualTypeOf<{ text: string }>();
    const handler: ToolModuleHandler<{ text: string }, string, Db> = ({ text }, _extra, { db }) =>
      db.find(text);
    expectTypeOf(handler).returns.not.toBeAny();
  });

  test("fits in one list with others", () => {
    const tools: ToolModule[] = [find, now, plain];
    expectTypeOf(tools).not.toBeAny();
  });

  test("has a type-checked handler that can be called directly", () => {
    const context: Db = { db: { find: (id) => id } };
    void find.handler({ id: "1" }, createExtra(), context);
    // @ts-expect-error the id must be a string
    void find.handler({ id: 1 }, createExtra(), context);
    // @ts-expect-error the context has no database
    void find.handler({ id: "1" }, createExtra(), {});
  });
});

describe("Z24: a result with an output schema", () => {
  const base = { name: "t", description: "t", inputSchema: z.object({}) };

  test("is the value, a full result, or an error", () => {
    const outputSchema = itemOutput(Note);
    defineToolModule({ ...base, outputSchema, handler: () => ({ type: "success", item: { id: "1" } }) });
    defineToolModule({
      ...base,
      outputSchema,
      handler: async () => jsonResult({ type: "success" as const, item: { id: "1" } }),
    });
    defineToolModule({
      ...base,
      outputSchema,
      handler: () => handleToolError("no"),
    });
  });

  test("does not compile with a wrong shape, plain or full", () => {
    const outputSchema = itemOutput(Note);
    defineToolModule({
      ...base,
      outputSchema,
      // @ts-expect-error the id must be a string
      handler: () => ({ type: "success", item: { id: 1 } }),
    });
    defineToolModule({
      ...base,
      outputSchema,
      // @ts-expect-error the item is not flattened
      handler: () => ({ type: "success", id: "1" }),
    });
    defineToolModule({
      ...base,
      outputSchema,
      // @ts-expect-error the data is wrong inside a full result, too
      handler: () => jsonResult({ type: "success" as const, item: { id: 1 } }),
    });
  });

  test("accepts pages, shapes, and error branches", () => {
    defineToolModule({
      ...base,
      outputSchema: itemsOutput(Note),
      handler: () => paged([{ id: "1" }], { maxTokens: 10 }),
    });
    defineToolModule({
      ...base,
      outputSchema: branchedOutput(shapedOutput(Note)),
      handler: () => (Math.random() > 0.5 ? toShape([{ id: "1" }], "arrays") : toErrorBranch(new Error("x"))),
    });
    defineToolModule({
      ...base,
      outputSchema: itemsOutput(Note),
      // @ts-expect-error the items have no id
      handler: () => paged([{ name: "1" }], { maxTokens: 10 }),
    });
  });
});

describe("Z32: registering", () => {
  const both: Db & Clock = { db: { find: (id) => id }, now: () => 0 };

  test("accepts and returns every kind of server", () => {
    const builder = defineServer(info);
    expectTypeOf(registerTools(builder, [find], both)).toEqualTypeOf(builder);
    expectTypeOf(registerTools(builder.build(), [find], both)).toEqualTypeOf(builder.build());
    expectTypeOf(registerTools(new McpServer(info), [find], both)).toEqualTypeOf<McpServer>();
    expectTypeOf(registerTools(new McpServer2(info), [find], both)).toEqualTypeOf<McpServer2>();
    // @ts-expect-error not a server
    registerTools({}, [find], both);
  });

  test("requires a context for every module", () => {
    registerTools(defineServer(info), [find, now, plain], both);
    registerTools(defineServer(info), [plain], {});
    // @ts-expect-error the clock is missing
    registerTools(defineServer(info), [find, now], { db: both.db });
  });
});

describe("Z33: resources and prompts", () => {
  test("have typed variables and arguments", () => {
    const note = defineResourceModule({
      name: "note",
      uriTemplate: "notes://{folder}/{id}",
      handler: ({ uri, variables }, _extra, { db }: Db) => {
        expectTypeOf(uri).toEqualTypeOf<string>();
        expectTypeOf(variables).toEqualTypeOf<{ folder: string; id: string }>();
        return db.find(variables.id);
      },
    });
    const greet = definePromptModule({
      name: "greet",
      argsSchema: z.object({ name: z.string() }),
      handler: (args, _extra, { now: at }: Clock) => {
        expectTypeOf(args).toEqualTypeOf<{ name: string }>();
        return `Hello ${args.name} at ${at()}`;
      },
    });
    registerResources(defineServer(info), [note], { db: { find: (id) => id } });
    registerPrompts(defineServer(info), [greet], { now: () => 1 });
    // @ts-expect-error the database is missing
    registerResources(defineServer(info), [note], {});
    // @ts-expect-error the clock is missing
    registerPrompts(defineServer(info), [greet], {});
  });
});

test("Z22, Z25: results satisfy the official SDK's types", () => {
  const data = jsonResult({ type: "success" as const, item: { id: "1" } });
  const login = buildAuthResponse("Log in", "https://a.example");
  const v1: CallToolResult[] = [data, login, handleToolError("no")];
  const v2: CallToolResult2[] = [data, login, handleToolError("no")];
  expectTypeOf([v1, v2]).not.toBeAny();
});

describe("Z38: explicit and discriminated types", () => {
  test("of errors, pages and tables", () => {
    expectTypeOf(handleToolError).returns.toEqualTypeOf<ErrorResult>();
    expectTypeOf(handleToolError).returns.toExtend<ToolResult>();
    expectTypeOf(toErrorBranch).returns.toEqualTypeOf<ErrorBranch>();
    expectTypeOf(createHttpError).returns.toEqualTypeOf<HttpError>();
    expectTypeOf(paged([1], { maxBytes: 1 })).toEqualTypeOf<Page<number>>();
    // @ts-expect-error one budget, not two
    paged([1], { maxBytes: 1, maxTokens: 1 });
    expectTypeOf(toColumnar([{ a: 1 }]).rows).toEqualTypeOf<
      readonly (readonly (string | number | boolean | null)[])[]
    >();
  });

  test("a shape narrows to its members", () => {
    const shaped = toShape([{ id: "1" }], "arrays");
    if (shaped.shape === "arrays") expectTypeOf(shaped.columns).toEqualTypeOf<string[]>();
    else expectTypeOf(shaped.items).toEqualTypeOf<{ id: string }[]>();
    // @ts-expect-error a table has no items
    if (shaped.shape === "arrays") void shaped.items;
  });
});
