import { McpServer as OfficialServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { defineServer } from "tenon";
import { McpServer } from "@tenon/sdk";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { definePromptModule, registerPrompts, registerTools } from "../../src/index.js";

/** A module with `input` instead of `inputSchema` became a tool without arguments. */

const info = { name: "modules", version: "1.0.0" };
const SERVERS = [
  ["a Tenon builder", () => defineServer(info)],
  ["McpServer from @tenon/sdk", () => new McpServer(info)],
  ["the official McpServer", () => new OfficialServer(info)],
] as const;

describe.each(SERVERS)("first-run-a3: modules on %s", (_, create) => {
  test.each<[object, string]>([
    [
      { input: z.object({ a: z.string() }) },
      'Tool "t": `inputSchema` is missing. Rename `input` to `inputSchema`.',
    ],
    [
      { parameters: z.object({}) },
      'Tool "t": `inputSchema` is missing. Rename `parameters` to `inputSchema`.',
    ],
    [{}, 'Tool "t": `inputSchema` is missing. For a tool without arguments, use `z.object({})`.'],
    [
      { inputSchema: { a: z.string() } },
      'Tool "t": `inputSchema` must be a schema; got an object of fields. Wrap it in `z.object({ … })`.',
    ],
    [{ inputSchema: "string" }, 'Tool "t": `inputSchema` must be a schema; got a string.'],
    [
      { inputSchema: z.object({}), outputSchema: { a: z.string() } },
      'Tool "t": `outputSchema` must be a schema; got an object of fields. Wrap it in `z.object({ … })`.',
    ],
  ])("rejects the schema of %o", (schemas, message) => {
    const module = { name: "t", description: "t", handler: () => "ok", ...schemas };
    expect(() => registerTools(create(), [module as never], {})).toThrow(message);
  });

  test("still accepts members of the application's own", () => {
    const module = {
      name: "t",
      description: "t",
      inputSchema: z.object({}),
      owner: "me",
      handler: () => "ok",
    };
    expect(() => registerTools(create(), [module], {})).not.toThrow();
    const prompt = definePromptModule({ name: "p", handler: () => "hi" });
    expect(() => registerPrompts(create(), [prompt], {})).not.toThrow();
  });
});
