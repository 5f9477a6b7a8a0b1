import { describe, expect, test } from "vitest";
import { toAction } from "../../src/adapters/to-action.js";
import { toMcpTool } from "../../src/adapters/to-mcp-tool.js";
import { ToolRegistry } from "../../src/tools/tool-registry.js";
import { createTool } from "tenon/grouped";
import { defineServer } from "tenon";
import { createClient } from "tenon/testing";
import { z } from "zod";
import { fail, inspect, search, shout } from "../support/adapters/tools.js";

const INFO = { name: "agent", version: "1.0.0" };

describe("an agent tool on an MCP server", () => {
  test("clients see the parameters as a schema, and when to use the tool", async () => {
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

  test("C7: the result contains the message and the data as text and structured content", async () => {
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

  test("a result that is not an object is wrapped, as the protocol requires", async () => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(shout)));
    const { structuredContent } = await client.callTool("shout", { text: "hey" });
    expect(structuredContent).toEqual({ result: "HEY" });
  });

  test.each([
    [{}, "query: Required parameter is missing"],
    [{ query: 7 }, "query: Expected text; got 7"],
    [{ query: "x", limit: "many" }, 'limit: Expected a number; got "many"'],
  ])("A35, C7: arguments %j are rejected with the agent's message", async (args, problem) => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(search)));
    expect(await client.callTool("search", args)).toEqual({
      content: [{ type: "text", text: `Tool 'search' parameter validation failed: ${problem}` }],
      isError: true,
    });
  });

  test("a failure is reported without the error's message", async () => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(fail)));
    const { isError, content } = await client.callTool("fail", {});
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).not.toContain("secret");
  });

  test("the context contains a task ID, the other tools, a signal, and postMessage", async () => {
    const registry = new ToolRegistry().register(search).register(inspect);
    const client = await createClient(defineServer(INFO).tools(toMcpTool(registry)));
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

  test("a single tool finds only itself", async () => {
    const client = await createClient(defineServer(INFO).tools(toMcpTool(inspect)));
    const { structuredContent } = await client.callTool("inspect", {});
    expect(structuredContent).toMatchObject({ siblings: ["inspect"] });
  });

  test("the server applies hints, tags, and scopes", async () => {
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

describe("an agent tool as a grouped tool action", () => {
  const web = () =>
    createTool("web")
      .commonSchema(z.object({ tenant: z.string() }))
      .action(toAction(search, { readOnly: true }))
      .action(toAction(shout));

  test("C9: is listed among the builder's actions", () => {
    expect(web().getActionMetadata()).toMatchObject([
      { key: "search", readOnly: true, requiredFields: ["tenant", "query"] },
      { key: "shout", readOnly: false, requiredFields: ["tenant", "text"] },
    ]);
  });

  test("C9: runs with its own parameters and the common fields", async () => {
    const result = await web().execute(undefined, { action: "search", tenant: "t", query: "oak" });
    expect(result.structuredContent).toEqual({ query: "oak", limit: 10, filters: [] });
  });

  test("F55: loses undeclared fields, like any action", async () => {
    const args = { action: "shout", tenant: "t", text: "hey", stray: 1 };
    expect(await web().execute(undefined, args)).toMatchObject({ structuredContent: { result: "HEY" } });
  });

  test("C7: follows the builder's rules for parameters", async () => {
    const { content, isError } = await web().execute(undefined, { action: "shout", tenant: "t" });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("Validation failed: text: Required parameter is missing");
  });

  test("C9: behaves the same in a Tenon server", async () => {
    const client = await createClient(defineServer(INFO).tools(web()));
    const { structuredContent } = await client.callTool("web", { action: "shout", tenant: "t", text: "hey" });
    expect(structuredContent).toEqual({ result: "HEY" });
  });
});
