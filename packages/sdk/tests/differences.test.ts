import { ResourceTemplate as OfficialTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ListRootsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answersOf,
  bothSides,
  McpServer,
  ours,
  type Register,
  settle,
  theirs,
} from "./support/both-sides.js";

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });
const one: Register = (server) =>
  server.registerTool("one", { inputSchema: { a: z.tuple([z.string()]) } }, () => text(""));

describe("intended differences from the official server", () => {
  test("D1, D2: schemas are JSON Schema 2020-12, and `execution` is omitted", async () => {
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

  test("D3: an input schema that is a union is listed, not hidden", async () => {
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

  test("D6: a list without entries is empty, not an unknown method", async () => {
    const [wanted, given] = await answersOf(
      () => undefined,
      async ({ client }) => client.listPrompts(),
    );
    expect(wanted).toMatchObject({ refused: { code: -32601 } });
    expect(given).toEqual({ answer: { prompts: [] } });
  });

  test("D7: the first tool may be registered after a client has connected", async () => {
    const [first, second] = await bothSides(() => undefined);
    expect(() => one(first.server)).toThrow("Cannot register capabilities after connecting to transport");
    one(second.server);
    expect((await second.client.listTools()).tools).toHaveLength(1);
  });

  test("D8: a disabled template is not listed or readable", async () => {
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

  test("D39: a URI with an encoded path separator in a variable does not match", async () => {
    const seen: unknown[] = [];
    const register: Register = (server) =>
      server.registerResource(
        "f",
        new OfficialTemplate("file:///{name}", { list: undefined }),
        {},
        (uri, variables) => {
          seen.push(variables["name"]);
          return { contents: [{ uri: uri.href, text: "read" }] };
        },
      );
    for (const uri of ["file:///..%2f..%2fetc", "file:///a%5c..%5cb", "file:///..%2fetc%ff"]) {
      const [wanted, given] = await answersOf(register, ({ client }) => client.readResource({ uri }));
      expect(wanted).toHaveProperty("answer");
      expect(given).toMatchObject({ refused: { code: -32602 } });
    }
    // Only the official server has called the handler.
    expect(seen).toEqual(["..%2f..%2fetc", "a%5c..%5cb", "..%2fetc%ff"]);
  });

  test("D10: a server accepts multiple transports", async () => {
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

  test("D12: an invalid result is rejected with a shorter text", async () => {
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

  test.each([[""], ["x".repeat(129)], ["a\nb"]])("D4: the name %j is rejected at registration", (name) => {
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
  ])("D13: the reply to a list of invalid items is bounded, %s", async (_, length, expected) => {
    const register: Register = (server) =>
      server.registerTool("list", { inputSchema: { n: z.array(z.number()) } }, () => text(""));
    const [, given] = await answersOf(register, ({ client }) =>
      client.callTool({ name: "list", arguments: { n: Array.from({ length }, () => "x") } }),
    );
    const sent = JSON.stringify(given);
    expect(sent).toMatch(expected);
    expect(sent.length).toBeLessThan(6_000);
  });

  test("D9: a change that fails changes nothing", () => {
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

  test("D9: renaming to a name in use does not replace the other tool", async () => {
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

  test("D11, T28: a failed tool's data is sent in _meta if it does not match the output schema", async () => {
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

  test("D14: a schema in place of the configuration is rejected", () => {
    const register = (server: ReturnType<typeof ours>) =>
      server.registerTool("echo", z.object({ a: z.string() }), () => text(""));
    expect(() => register(theirs())).not.toThrow();
    expect(() => register(ours())).toThrow("must be a configuration, not a schema");
  });

  test("D15: unknown options are rejected with a suggestion", () => {
    expect(() => theirs({ timeout: 1 } as never)).not.toThrow();
    expect(() => ours({ timeout: 1 } as never)).toThrow(
      "unknown option `timeout`. Did you mean `deadlineMs`?",
    );
  });

  test("D16: a stack in an error's data is not sent", async () => {
    const register: Register = (server) =>
      server.registerPrompt("fail", {}, () => {
        throw new McpError(-32000, "broken", { stack: "at secret.ts:1", hint: "retry" });
      });
    const [wanted, given] = await answersOf(register, ({ client }) => client.getPrompt({ name: "fail" }));
    expect(wanted).toMatchObject({ refused: { data: { stack: "at secret.ts:1", hint: "retry" } } });
    expect(given).toMatchObject({ refused: { code: -32000, data: { hint: "retry" } } });
    expect(JSON.stringify(given)).not.toContain("secret.ts");
  });

  test("D20: a resource whose URI contains characters that URLs escape can be read", async () => {
    const register: Register = (server) =>
      server.registerResource("a", "file:///a b", {}, (uri) => ({
        contents: [{ uri: uri.href, text: "read" }],
      }));
    const [wanted, given] = await answersOf(register, ({ client }) =>
      client.readResource({ uri: "file:///a b" }),
    );
    expect(wanted).toMatchObject({ refused: { code: -32602 } });
    expect(given).toEqual({ answer: { contents: [{ uri: "file:///a%20b", text: "read" }] } });
  });

  test("D22: an assignment to a registered object notifies clients", async () => {
    const heard: number[] = [];
    for (const side of await bothSides(one)) {
      const tool = side.server.registerTool("late", {}, () => text(""));
      await settle();
      const before = side.heard.length;
      tool.title = "Later";
      await settle();
      heard.push(side.heard.length - before);
    }
    expect(heard).toEqual([0, 1]);
  });

  test("D23: an invalid result of the client is an ordinary error", async () => {
    const errors: string[] = [];
    const register: Register = (server) =>
      server.registerTool("roots", {}, async () => {
        await server.server.listRoots().catch((error: Error) => errors.push(error.constructor.name));
        return text("");
      });
    await answersOf(register, ({ client }) => client.callTool({ name: "roots" }), {
      capabilities: { roots: {} },
      prepare: (client) =>
        client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "x:y" }] })),
    });
    expect(errors).toEqual(["$ZodError", "Error"]);
  });
});

test("every difference in the migration guide has a test, and every such test has a row", () => {
  const guide = readFileSync(new URL("../../../docs/migrating.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| ([DE]\d+)\s+\|/gm)].map(([, id = ""]) => id);
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".test.ts"),
  );
  const titles = files.flatMap((file) =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/["`]((?:[DE]\d+, )*[DE]\d+)[,:]/g)].flatMap(
      ([, ids = ""]) => ids.split(", "),
    ),
  );
  expect(new Set(rows)).toEqual(new Set(titles));
  expect(rows).toHaveLength(new Set(rows).size);
});
