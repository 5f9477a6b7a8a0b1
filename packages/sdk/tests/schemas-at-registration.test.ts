import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { McpServer } from "@tenon/sdk";
import { McpServer as McpServerV2 } from "@tenon/sdk/v2";

const INFO = { name: "a", version: "1" };
const result = () => ({ content: [] });

/** Part of both servers that the tests use. Their own types differ. */
interface Registering {
  registerTool(name: string, config: { readonly inputSchema: z.ZodObject }, callback: typeof result): unknown;
}

const VERSIONS: readonly (readonly [string, () => Registering])[] = [
  ["version 1", () => new McpServer(INFO)],
  ["version 2", () => new McpServerV2(INFO)],
];

/** Schemas that the search for simple schemas must not accept, each with the error of the conversion. */
const INVALID: readonly (readonly [string, () => z.ZodObject, string])[] = [
  ["a date", () => z.object({ at: z.date() }), 'cannot be converted to JSON Schema at "at"'],
  ["a nested date", () => z.object({ a: z.object({ at: z.date() }) }), 'at "a.at"'],
  ["a date in an array", () => z.object({ all: z.array(z.date()) }), 'at "all"'],
  ["a BigInt", () => z.object({ n: z.bigint().optional() }), 'at "n"'],
  [
    "two schemas with one ID",
    () => z.object({ a: z.string().meta({ id: "same" }), b: z.number().meta({ id: "same" }) }),
    "Duplicate schema id",
  ],
  [
    "an ID on the schema that another was derived from",
    () => z.object({ a: z.string().meta({ id: "x" }).min(1), b: z.number().meta({ id: "x" }).min(1) }),
    "Duplicate schema id",
  ],
  [
    "a header of an object",
    () => z.object({ a: z.object({}).meta({ "x-mcp-header": "A" }) }),
    "the input schema is invalid",
  ],
  ["a type that is not an object", () => z.object({}).meta({ type: "string" }), "must be an object schema"],
];

describe.each(VERSIONS)("%s", (_, createServer) => {
  test.each(INVALID)("a tool with %s is rejected when it is registered", (__, schemaOf, message) => {
    const server = createServer();
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => server.registerTool("t", { inputSchema: schemaOf() }, result)).toThrow(message);
    }
  });

  test("a simple schema is not converted before a client needs it", () => {
    const schema = z.object({
      text: z.string().min(1).describe("Text"),
      size: z.enum(["s", "m"]).optional(),
      tags: z.array(z.union([z.string(), z.number()])).default([]),
    });
    const convert = vi.spyOn(schema["~standard"].jsonSchema, "input");
    createServer().registerTool("t", { inputSchema: schema }, result);
    expect(convert).not.toHaveBeenCalled();
  });

  test("servers share the conversion of a schema that is not simple", () => {
    const schema = z.object({ text: z.string().transform((text) => text.length) });
    const convert = vi.spyOn(schema["~standard"].jsonSchema, "input");
    for (let count = 0; count < 3; count++) createServer().registerTool("t", { inputSchema: schema }, result);
    expect(convert).toHaveBeenCalledTimes(1);
  });
});

test("a raw shape that has changed since the last registration is converted again", () => {
  const shape: Record<string, z.ZodType> = { a: z.string() };
  const fieldsOf = (tools: McpServer) => tools.build().describe().tools[0]?.definition.inputSchema.properties;
  const first = new McpServer(INFO);
  first.registerTool("t", { inputSchema: shape }, result);
  expect(fieldsOf(first)).toEqual({ a: { type: "string" } });
  shape["b"] = z.boolean();
  const second = new McpServer(INFO);
  second.registerTool("t", { inputSchema: shape }, result);
  expect(fieldsOf(second)).toEqual({ a: { type: "string" }, b: { type: "boolean" } });
});

test("a definition that cannot be serialized is rejected when it is registered", () => {
  const server = new McpServer(INFO);
  const message = "the definition cannot be serialized";
  const _meta = { n: 1n };
  expect(() => server.registerTool("t", { _meta }, result)).toThrow(message);
  expect(() => server.registerResource("r", "a:b", { _meta }, () => ({ contents: [] }))).toThrow(message);
});

test("a call does not convert the schema of its tool", async () => {
  const schema = z.object({ a: z.string() });
  const convert = vi.spyOn(schema["~standard"].jsonSchema, "input");
  const server = new McpServer(INFO);
  server.registerTool("t", { inputSchema: schema }, ({ a }) => ({ content: [{ type: "text", text: a }] }));
  const params = { name: "t", arguments: { a: "x" } };
  const response = await server
    .build()
    .handle({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, undefined);
  expect(response.toText()).toContain('"x"');
  expect(convert).not.toHaveBeenCalled();
  await server.build().handle({ jsonrpc: "2.0", id: 2, method: "tools/list" }, undefined);
  expect(convert).toHaveBeenCalledTimes(1);
});
