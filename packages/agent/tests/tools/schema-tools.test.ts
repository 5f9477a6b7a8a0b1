import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toMcpTool } from "../../src/adapters/to-mcp-tool.js";
import { toAction } from "../../src/adapters/to-action.js";
import { fromGrouped } from "../../src/adapters/from-grouped.js";
import { fromMcpClient, fromMcpServer } from "../../src/adapters/from-mcp-server.js";
import { toModelTools } from "../../src/conversation/context/model-tools.js";
import { RegistrationError } from "../../src/shared/errors.js";
import { defineTool, type ToolDefinition } from "../../src/tools/define-tool.js";
import { parseTool, serializeTool } from "../../src/tools/serialize-tool.js";
import { ToolRegistry } from "../../src/tools/tool-registry.js";
import { ToolService } from "../../src/tool-service.js";
import { defineServer } from "tenon";
import { createTool } from "tenon/grouped";
import { createClient } from "tenon/testing";

const INFO = { name: "tools", version: "1.0.0" };

const book = defineTool({
  name: "book",
  description: "Books a room",
  whenToUse: "When the user needs a room",
  params: z.object({
    room: z.enum(["red", "blue"]).describe("Room"),
    seats: z.number().int().min(1).max(100),
    code: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .optional(),
    notify: z.boolean().default(true),
    extra: z.union([z.string(), z.number()]).optional(),
  }),
  useExamples: [],
  annotations: { readOnlyHint: false, idempotentHint: true },
  parallel: false,
  invoke: async ({ params }) => ({ message: "Booked", toolResult: params }),
});

const NESTED = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100 },
    color: { enum: ["red", "blue"] },
    code: { type: "string", pattern: "^[A-Z]{3}$" },
    owner: { $ref: "#/$defs/owner" },
    extra: { anyOf: [{ type: "string" }, { type: "number" }] },
  },
  required: ["limit"],
  additionalProperties: false,
  $defs: { owner: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
};

function createService(tools: readonly ToolDefinition[]) {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  const service = new ToolService(registry);
  return {
    native: (name: string, params: unknown) => service.execute({ name, params, getCurrentTask: () => "t" }),
    xml: (xmlParams: string) => service.parseAndExecute({ xmlParams, getCurrentTask: () => "t" }),
  };
}

describe("a Zod schema as params", () => {
  test("native calls receive enums, ranges, and patterns", () => {
    const [tool] = toModelTools([book]).tools;
    expect(tool?.parameters).toMatchObject({
      type: "object",
      properties: {
        room: { type: "string", enum: ["red", "blue"], description: "Room" },
        seats: { type: "integer", minimum: 1, maximum: 100 },
        code: { type: "string", pattern: "^[A-Z]{3}$" },
      },
      required: ["room", "seats"],
    });
  });

  test("XML calls receive a readable description", () => {
    expect(book.params.slice(0, 3)).toEqual([
      { name: "room", description: "Room. One of: red, blue", optional: false },
      { name: "seats", description: "seats. Whole number. From 1 to 100", optional: false, type: "number" },
      { name: "code", description: "code. Must match the pattern ^[A-Z]{3}$", optional: true },
    ]);
  });

  test("both kinds of calls are validated, and defaults are filled in", async () => {
    const service = createService([book]);
    const { toolResult } = await service.xml("<book><room>red</room><seats>2</seats></book>");
    expect(toolResult).toEqual({ room: "red", seats: 2, notify: true });
    expect((await service.native("book", { room: "red", seats: 2 })).toolResult).toEqual(toolResult);
    for (const { message } of [
      await service.xml("<book><room>green</room><seats>101</seats></book>"),
      await service.native("book", { room: "green", seats: 101 }),
    ]) {
      expect(message).toMatch(/^Tool 'book' parameter validation failed: room: .*; seats: /);
    }
  });

  test("a native string that looks like JSON stays a string, and JSON inside a tag is parsed", async () => {
    const service = createService([book]);
    const native = await service.native("book", { room: "red", seats: 1, extra: "5" });
    expect(native.params).toMatchObject({ extra: "5" });
    const xml = await service.xml("<book><room>red</room><seats>1</seats><extra>5</extra></book>");
    expect(xml.params).toMatchObject({ extra: 5 });
  });

  test("an asynchronous schema is rejected with a clear message", async () => {
    const slow = defineTool({
      ...book,
      params: z.object({ a: z.string().refine(async () => false) }),
      invoke: async () => ({ message: "", toolResult: 1 }),
    });
    expect((await createService([slow]).native("book", { a: "x" })).message).toBe(
      "Tool 'book' parameter validation failed: The tool's schema is asynchronous, which is not supported",
    );
  });

  test.each([
    [z.string(), '`params` must be an array or the schema of an object; got "string".'],
    [z.object({ when: z.date() }), "`params` cannot be converted to JSON Schema"],
  ])("a schema that cannot be used is rejected", (params, problem) => {
    const define = () => defineTool({ ...book, params: params as z.ZodObject });
    expect(define).toThrow(RegistrationError);
    expect(define).toThrow(`Tool definition 'book' is invalid: ${problem}`);
  });

  test("the definition survives JSON, without its functions", () => {
    const { invoke: _invoke, paramsSchema: _schema, ...description } = book;
    expect(parseTool(serializeTool(book))).toEqual(JSON.parse(JSON.stringify(description)));
  });

  test("an MCP server lists the schema and the hints", async () => {
    const registry = new ToolRegistry().register(book);
    const client = await createClient(defineServer(INFO).tools(toMcpTool(registry)));
    const [listed] = await client.listTools();
    expect(listed?.inputSchema).toEqual(book.inputSchema);
    expect(listed?.annotations).toEqual({ readOnlyHint: false, idempotentHint: true });
    expect(await client.callTool("book", { room: "red", seats: 1.5 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Tool 'book' parameter validation failed: seats: ") }],
    });
  });

  test("a grouped action has the schema and the hints", async () => {
    const rooms = createTool("rooms").action(toAction(book));
    expect(rooms.getActionMetadata()).toMatchObject([{ key: "book", requiredFields: ["room", "seats"] }]);
    const { isError } = await rooms.execute(undefined, { action: "book", room: "red", seats: 0 });
    expect(isError).toBe(true);
  });
});

describe("tools of MCP servers", () => {
  const server = () =>
    defineServer(INFO).tool("find", {
      description: "Finds",
      annotations: { readOnlyHint: true, title: "Find" },
      input: z.object({ limit: z.number().int().min(1).max(100), color: z.enum(["red", "blue"]).optional() }),
      handler: ({ limit }) => String(limit),
    });
  const client = (result: (args: unknown) => unknown = (args) => args) => ({
    listTools: async () => ({
      tools: [
        {
          name: "find",
          inputSchema: NESTED,
          annotations: { readOnlyHint: true, destructiveHint: "no", title: "\u001bFind" },
        },
      ],
    }),
    callTool: async (params: { readonly arguments: unknown }) => ({
      content: [{ type: "text", text: JSON.stringify(result(params.arguments)) }],
    }),
  });

  test("native calls receive the original schema", async () => {
    const tools = await fromMcpClient(client());
    expect(toModelTools(tools).tools[0]?.parameters).toEqual(NESTED);
    const [own] = await fromMcpServer(server());
    expect(toModelTools(own === undefined ? [] : [own]).tools[0]?.parameters).toMatchObject({
      properties: { limit: { type: "integer", minimum: 1, maximum: 100 }, color: { enum: ["red", "blue"] } },
    });
    const grouped = createTool("users").action({
      name: "ban",
      destructive: true,
      schema: z.object({ level: z.number().int().max(5) }),
      handler: () => "done",
    });
    const [ban] = fromGrouped(grouped, { context: undefined });
    expect(toModelTools(ban === undefined ? [] : [ban]).tools[0]?.parameters).toMatchObject({
      properties: { level: { type: "integer", maximum: 5 } },
    });
    expect(ban?.annotations).toMatchObject({ destructiveHint: true });
  });

  test("hints of the wrong type are dropped", async () => {
    const [tool] = await fromMcpClient(client(), { trusted: true });
    expect(tool?.annotations).toEqual({ readOnlyHint: true, title: "Find" });
    const [own] = await fromMcpServer(server());
    expect(own?.annotations).toMatchObject({ readOnlyHint: true });
  });

  test("native arguments reach the server unchanged", async () => {
    const args = { limit: 5, color: "red", owner: { name: "Ada" }, extra: "[1]" };
    const service = createService(await fromMcpClient(client()));
    expect((await service.native("find", args)).message).toBe(JSON.stringify(args));
  });

  test.each([
    [{ limit: 0 }, "limit: Expected at least 1; got 0"],
    [{ limit: 1.5 }, "limit: Expected a whole number; got 1.5"],
    [{ limit: 1, color: "green" }, 'color: Expected one of "red", "blue"; got "green"'],
    [{ limit: 1, code: "abc" }, 'code: Expected text that matches the pattern "^[A-Z]{3}$"'],
    [{ limit: 1, owner: {} }, "owner.name: Required parameter is missing"],
    [{ limit: 1, other: 1 }, "other: Unknown parameter"],
    [{}, "limit: Required parameter is missing"],
    [[], "Expected an object; got an array"],
  ])("arguments %j are rejected before the call", async (args, problem) => {
    const tools = await fromMcpClient(client(() => expect.unreachable()));
    const { message } = await createService(tools).native("find", args);
    expect(message).toBe(`Tool 'find' parameter validation failed: ${problem}`);
  });

  test("XML calls are validated with the same schema", async () => {
    const service = createService(await fromMcpClient(client()));
    const { message } = await service.xml("<find><limit>101</limit></find>");
    expect(message).toBe("Tool 'find' parameter validation failed: limit: Expected at most 100; got 101");
    const good = await service.xml(
      "<find><limit>2</limit><owner><name>Ada</name></owner><extra>7</extra></find>",
    );
    expect(good.message).toBe('{"limit":2,"owner":{"name":"Ada"},"extra":7}');
  });

  test("arguments that cannot be tags are one JSON tag, and plain arguments in native calls", async () => {
    const inputSchema = { type: "object", properties: { "a b": { type: "integer" } } };
    const listTools = async () => ({ tools: [{ name: "find", inputSchema }] });
    const service = createService(await fromMcpClient({ ...client(), listTools }));
    expect((await service.native("find", { "a b": 1 })).message).toBe('{"a b":1}');
    expect((await service.xml('<find><arguments>{"a b":1}</arguments></find>')).message).toBe('{"a b":1}');
    expect((await service.xml('<find><arguments>{"a b":"x"}</arguments></find>')).message).toContain(
      "a b: Expected",
    );
    expect((await service.xml("<find><arguments>oops</arguments></find>")).message).toBe(
      "Tool 'find' parameter validation failed: Expected an object; got \"oops\"",
    );
  });

  test("a schema that is too large for a model accepts any object", async () => {
    const inputSchema = { type: "object", properties: {}, description: "x".repeat(300_000) };
    const listTools = async () => ({ tools: [{ name: "find", inputSchema }] });
    const [tool] = await fromMcpClient({ ...client(), listTools });
    expect(tool?.inputSchema).toEqual({ type: "object" });
  });
});

describe("hints and parallel runs in a definition", () => {
  test.each([
    [{ parallel: 1 }, "`parallel` must be true or false; got 1"],
    [{ annotations: [] }, "`annotations` must be an object; got an array"],
    [{ annotations: { readOnlyHint: "yes" } }, '`annotations.readOnlyHint` must be true or false; got "yes"'],
    [{ inputSchema: "x" }, '`inputSchema` must be an object; got "x"'],
    [
      { params: [{ name: "a", description: "", optional: false, type: "number", format: "json" }] },
      'parameter "a" has the format "json", so its `type` must be "string"',
    ],
  ])("%j is rejected", (wrong, problem) => {
    const tool = { ...book, ...wrong } as ToolDefinition;
    expect(() => new ToolRegistry().register(tool)).toThrow(
      new RegistrationError(`Tool definition 'book' is invalid: ${problem}.`),
    );
  });
});
