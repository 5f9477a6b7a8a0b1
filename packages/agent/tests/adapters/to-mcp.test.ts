import { describe, expect, test } from "vitest";
import { toAction } from "../../src/adapters/to-action.js";
import { toMcpTool, toMcpTools } from "../../src/adapters/to-mcp-tool.js";
import { ToolRegistry } from "../../src/tools/tool-registry.js";
import { createTool } from "tenon/grouped";
import { defineServer } from "tenon";
import { createClient } from "tenon/testing";
import { z } from "zod";
import { fail, inspect, search, shout } from "./tools.js";

const INFO = { name: "agent", version: "1.0.0" };

describe("a tool of an agent on a server of MCP", () => {
  test("clients see its parameters as a schema, and when to use it", async () => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(search)));
    expect(await client.listTools()).toEqual([
      {
        name: "search",
        description: "Searches the archive\n\nWhen to use: When something must be found",
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            query: { type: "string", description: "What to find" },
            limit: { type: "number", description: "Most results" },
            filters: {
              type: "array",
              items: { type: "string", description: "One filter" },
              description: "Narrows the search",
            },
          },
          required: ["query"],
          additionalProperties: false,
        },
      },
    ]);
  });

  test("C7: its result is its message, and the data in both forms", async () => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(search)));
    const data = { query: "oak", limit: 3, filters: ["a", "b"] };
    expect(await client.callTool("search", data)).toEqual({
      content: [
        { type: "text", text: "Searched for oak" },
        { type: "text", text: JSON.stringify(data) },
      ],
      structuredContent: data,
    });
  });

  test("a result that is no object is wrapped as the protocol asks for", async () => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(shout)));
    const { structuredContent } = await client.callTool("shout", { text: "hey" });
    expect(structuredContent).toEqual({ result: "HEY" });
  });

  test.each([
    [{}, "query: Required parameter is missing"],
    [{ query: 7 }, "query: Expected text, got 7"],
    [{ query: "x", limit: "many" }, 'limit: Expected a number, got "many"'],
  ])("A35, C7: arguments %j are refused with the agent's text", async (args, problem) => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(search)));
    expect(await client.callTool("search", args)).toEqual({
      content: [{ type: "text", text: `Tool 'search' parameter validation failed: ${problem}` }],
      isError: true,
    });
  });

  test("its failure is told as any tool's: without the text", async () => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(fail)));
    const { isError, content } = await client.callTool("fail", {});
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).not.toContain("secret");
  });

  test("it has a task of its own, its siblings, a signal, and a voice", async () => {
    const registry = new ToolRegistry().register(search).register(inspect);
    const client = await createClient(defineServer(INFO).tools(toMcpTools(registry)));
    const { structuredContent } = await client.callTool("inspect", {});
    expect(structuredContent).toEqual({
      task: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sameTask: true,
      siblings: ["search", "inspect"],
      hasSignal: true,
    });
    expect(client.notifications.map(({ params }) => params)).toEqual([
      { level: "info", data: "on my way", logger: "inspect" },
      { level: "info", data: { step: 2 }, logger: "inspect" },
    ]);
  });

  test("alone it finds itself only", async () => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(inspect)));
    const { structuredContent } = await client.callTool("inspect", {});
    expect(structuredContent).toMatchObject({ siblings: ["inspect"] });
  });

  test("hints, tags and scopes are the server's to show", async () => {
    const tools = toMcpTool(search, { annotations: { readOnlyHint: true }, scopes: ["read"] });
    const server = defineServer(INFO).tools(tools).build();
    const reader = await createClient(server, { auth: { principal: "ada", scopes: ["read"] } });
    const stranger = await createClient(server, { auth: { principal: "eve", scopes: [] } });
    expect((await reader.listTools()).map(({ annotations }) => annotations)).toEqual([
      { readOnlyHint: true },
    ]);
    expect(await stranger.listTools()).toEqual([]);
  });
});

describe("a tool of an agent as an action of a grouped tool", () => {
  const web = () =>
    createTool("web")
      .commonSchema(z.object({ tenant: z.string() }))
      .action(toAction(search, { readOnly: true }))
      .action(toAction(shout));

  test("C9: it is one of the builder's actions", () => {
    expect(web().getActionMetadata()).toMatchObject([
      { key: "search", readOnly: true, requiredFields: ["tenant", "query"] },
      { key: "shout", readOnly: false, requiredFields: ["tenant", "text"] },
    ]);
  });

  test("C9: it runs with its own parameters, beside the common fields", async () => {
    const result = await web().execute(undefined, { action: "search", tenant: "t", query: "oak" });
    expect(result.structuredContent).toEqual({ query: "oak", limit: 10, filters: [] });
  });

  test("F55: what nobody declared is dropped, as for any action", async () => {
    const args = { action: "shout", tenant: "t", text: "hey", stray: 1 };
    expect(await web().execute(undefined, args)).toMatchObject({ structuredContent: { result: "HEY" } });
  });

  test("C7: the builder's own rules hold for its parameters", async () => {
    const { content, isError } = await web().execute(undefined, { action: "shout", tenant: "t" });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("Validation failed: text: Required parameter is missing");
  });

  test("C9: the same in a server of ours", async () => {
    const client = await createClient(defineServer(INFO).tools(web()));
    const { structuredContent } = await client.callTool("web", { action: "shout", tenant: "t", text: "hey" });
    expect(structuredContent).toEqual({ result: "HEY" });
  });
});
