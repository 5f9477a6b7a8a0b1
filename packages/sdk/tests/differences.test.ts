import { ResourceTemplate as OfficialTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { answersOf, bothSides, McpServer, ours, type Register, theirs } from "./both-sides.js";

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });
const one: Register = (server) =>
  server.registerTool("one", { inputSchema: { a: z.tuple([z.string()]) } }, () => text(""));

describe("intended differences from the official server", () => {
  test("schemas are JSON Schema 2020-12, and `execution` is omitted", async () => {
    const [wanted, given] = await answersOf(one, async ({ client }) => (await client.listTools()).tools[0]);
    expect(wanted).toMatchObject({
      answer: {
        execution: { taskSupport: "forbidden" },
        inputSchema: {
          $schema: "http://json-schema.org/draft-07/schema#",
          properties: { a: { items: [{ type: "string" }] } },
        },
      },
    });
    expect(given).toMatchObject({
      answer: {
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          properties: { a: { prefixItems: [{ type: "string" }] } },
        },
      },
    });
    expect(given).not.toHaveProperty("answer.execution");
  });

  test("an input schema that is a union is listed, not hidden", async () => {
    const register: Register = (server) =>
      server.registerTool(
        "either",
        { inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
        (args) => text(JSON.stringify(args)),
      );
    const shown = await answersOf(
      register,
      async ({ client }) => (await client.listTools()).tools[0]?.inputSchema,
    );
    expect(shown[0]).toEqual({ answer: { type: "object", properties: {} } });
    expect(shown[1]).toMatchObject({
      answer: { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    });
    const [wanted, given] = await answersOf(register, ({ client }) =>
      client.callTool({ name: "either", arguments: { b: "x" } }),
    );
    expect(given).toEqual(wanted);
  });

  test("logging and subscriptions are declared, because they are supported", async () => {
    const register: Register = (server) =>
      server.registerResource("a", "mem://a", {}, () => ({ contents: [] }));
    const [first, second] = await bothSides(register);
    expect(first.client.getServerCapabilities()).toEqual({ resources: { listChanged: true } });
    expect(second.client.getServerCapabilities()).toEqual({
      logging: {},
      resources: { listChanged: true, subscribe: true },
    });
  });

  test("a list without entries is empty, not an unknown method", async () => {
    const [wanted, given] = await answersOf(
      () => undefined,
      async ({ client }) => client.listPrompts(),
    );
    expect(wanted).toMatchObject({ refused: { code: -32601 } });
    expect(given).toEqual({ answer: { prompts: [] } });
  });

  test("the first tool may be registered after a client has connected", async () => {
    const [first, second] = await bothSides(() => undefined);
    expect(() => one(first.server)).toThrow("Cannot register capabilities after connecting to transport");
    one(second.server);
    expect((await second.client.listTools()).tools).toHaveLength(1);
  });

  test("a disabled template is not listed or readable", async () => {
    const register: Register = (server) =>
      server
        .registerResource("f", new OfficialTemplate("f://{a}", { list: undefined }), {}, (uri) => ({
          contents: [{ uri: uri.href, text: "read" }],
        }))
        .disable();
    const lists = await answersOf(
      register,
      async ({ client }) => (await client.listResourceTemplates()).resourceTemplates.length,
    );
    expect(lists).toEqual([{ answer: 1 }, { answer: 0 }]);
    const [, given] = await answersOf(register, ({ client }) => client.readResource({ uri: "f://x" }));
    expect(given).toMatchObject({
      refused: { code: -32602, message: expect.stringContaining("Resource f://x not found") },
    });
  });

  test("a server accepts multiple transports", async () => {
    const [a] = InMemoryTransport.createLinkedPair();
    const [b] = InMemoryTransport.createLinkedPair();
    const server = theirs();
    await server.connect(a);
    await expect(server.connect(b)).rejects.toThrow("Already connected");
    const [c] = InMemoryTransport.createLinkedPair();
    const [d] = InMemoryTransport.createLinkedPair();
    const mine = ours();
    await mine.connect(c);
    await mine.connect(d);
    expect(mine.isConnected()).toBe(true);
    await expect(mine.server.ping()).rejects.toThrow("More than one client is connected");
    await mine.close();
    expect(mine.isConnected()).toBe(false);
  });

  test("an invalid result is rejected with a shorter text", async () => {
    const register: Register = (server) =>
      server.registerTool("bad", {}, () => ({ content: [{ type: "video" }] }) as never);
    const [wanted, given] = await answersOf(register, ({ client }) => client.callTool({ name: "bad" }));
    expect(wanted).toMatchObject({ refused: { code: -32602 } });
    expect(given).toMatchObject({
      refused: {
        code: -32602,
        message:
          "MCP error -32602: MCP error -32602: Invalid tools/call result: a callback must return an object with content blocks",
      },
    });
  });

  test("Zod 3 schemas are rejected at registration", () => {
    const shape = { a: z3.string() } as never;
    expect(() => ours().registerTool("x", { inputSchema: shape }, (() => text("")) as never)).toThrow(
      'Field "a" must be a Zod 4 schema. Upgrade to zod 4.2 or later.',
    );
    const schema = z3.object({ a: z3.string() }) as never;
    expect(() => ours().registerTool("x", { inputSchema: schema }, (() => text("")) as never)).toThrow(
      'Tool "x": the input schema cannot be converted to JSON Schema. Use zod 4.2 or later; Zod 3 schemas are not supported.',
    );
  });

  test.each([[""], ["x".repeat(129)], ["a\nb"]])("the name %j is rejected at registration", (name) => {
    expect(() => ours().registerTool(name, {}, () => text(""))).toThrow(
      "the name must be 1 to 128 characters long, without control characters.",
    );
    expect(new McpServer({ name: "a", version: "1" }).build().describe().tools).toEqual([]);
  });

  test.each([
    ["with the number of other issues", 900, /received string at n\[49\]\\nand 850 more/],
    [
      "with the first issue only",
      5_000,
      /tool list: Invalid input: expected number, received string at n\[0\]"/,
    ],
  ])("the reply to a list of invalid items is bounded, %s", async (_, length, expected) => {
    const register: Register = (server) =>
      server.registerTool("list", { inputSchema: { n: z.array(z.number()) } }, () => text(""));
    const [, given] = await answersOf(register, ({ client }) =>
      client.callTool({ name: "list", arguments: { n: Array.from({ length }, () => "x") } }),
    );
    const sent = JSON.stringify(given);
    expect(sent).toMatch(expected);
    expect(sent.length).toBeLessThan(6_000);
  });

  test("a change that fails changes nothing", () => {
    const server = new McpServer({ name: "a", version: "1" });
    const tool = server.registerTool("a", {}, () => text("a"));
    server.registerTool("b", {}, () => text("b"));
    expect(() => tool.update({ name: "b", title: "lost" })).toThrow("Tool b is already registered");
    expect(tool.title).toBeUndefined();
    expect(
      server
        .build()
        .describe()
        .tools.map(({ definition }) => definition.name),
    ).toEqual(["a", "b"]);
  });

  test("many registrations are compiled together on first use", () => {
    const server = new McpServer({ name: "many", version: "1" });
    const begun = performance.now();
    for (let n = 0; n < 2_000; n++)
      server.registerTool(`tool${n}`, { inputSchema: { a: z.string() } }, () => text(""));
    expect(server.build().describe().tools).toHaveLength(2_000);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test("the response to a form is returned unchanged", async () => {
    const register: Register = (server) =>
      server.registerTool("form", {}, async () => {
        const properties = { n: { type: "number" as const } };
        const requestedSchema = { type: "object" as const, properties, required: ["n"] };
        return text(JSON.stringify(await server.server.elicitInput({ message: "?", requestedSchema })));
      });
    const [wanted, given] = await answersOf(register, ({ client }) => client.callTool({ name: "form" }), {
      capabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { n: "x" } })),
    });
    expect(JSON.stringify(wanted)).toContain("Elicitation response content does not match requested schema");
    expect(given).toEqual({ answer: text('{"action":"accept","content":{"n":"x"}}') });
  });

  test("renaming to a name in use does not replace the other tool", async () => {
    const register: Register = (server) => {
      server.registerTool("a", {}, () => text("a"));
      const second = server.registerTool("b", {}, () => text("b"));
      try {
        second.update({ name: "a" });
      } catch {
        // Our server throws instead.
      }
    };
    const said = await answersOf(
      register,
      async ({ client }) => (await client.callTool({ name: "a" })).content,
    );
    expect(said).toEqual([{ answer: text("b").content }, { answer: text("a").content }]);
  });

  test("T28: a failed tool's data is sent in _meta if it does not match the output schema", async () => {
    const register: Register = (server) =>
      server.registerTool("fail", { outputSchema: { n: z.number() } }, () => ({
        ...text("failed"),
        isError: true,
        structuredContent: { code: "NOT_FOUND" },
      }));
    const [wanted, given] = await answersOf(register, async ({ client }) => {
      await client.listTools();
      return client.callTool({ name: "fail" });
    });
    expect(wanted).toMatchObject({ refused: { code: -32602 } });
    expect(given).toEqual({
      answer: { ...text("failed"), isError: true, _meta: { "tenon/structuredError": { code: "NOT_FOUND" } } },
    });
  });

  test("tasks are not supported", () => {
    expect(theirs()).toHaveProperty("experimental");
    expect(ours()).not.toHaveProperty("experimental");
  });
});
