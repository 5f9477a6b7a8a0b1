import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { defineServer } from "tenon";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toServerSource } from "../../src/adapters/index.js";
import { connect, McpServer } from "../../src/index.js";

/** A schema in place of the configuration was accepted, and the callback then received `extra` as its arguments. */

const server = () => new McpServer({ name: "forms", version: "1.0.0" });
const callback = () => ({ content: [] });

describe("first-run-d4: registerTool with a schema as its second argument", () => {
  const message =
    'Tool "echo": the second argument of `registerTool` must be a configuration, not a schema. ' +
    'Use registerTool("echo", { description, inputSchema: schema }, callback).';

  test.each<[string, unknown]>([
    ["an object schema", z.object({ text: z.string() })],
    ["any other schema", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ["the fields of a schema", { text: z.string() }],
    ["fields with the names of options", { title: z.string(), description: z.string() }],
  ])("rejects %s, and shows the right form", (_, schema) => {
    const mcp = server();
    expect(() => mcp.registerTool("echo", schema as never, callback)).toThrow(new TypeError(message));
    expect(mcp.build().describe().tools).toEqual([]);
  });

  test("accepts the right forms", () => {
    const mcp = server();
    mcp.registerTool("a", {}, callback);
    mcp.registerTool("b", { inputSchema: { text: z.string() } }, callback);
    mcp.registerTool("c", { inputSchema: z.object({ text: z.string() }), title: "C", _meta: {} }, callback);
    expect(mcp.build().describe().tools).toHaveLength(3);
  });

  test("rejects a prompt's schema in the same place", () => {
    expect(() =>
      server().registerPrompt("ask", { city: z.string() } as never, (() => ({})) as never),
    ).toThrow(
      'Prompt "ask": the second argument of `registerPrompt` must be a configuration, not a schema. ' +
        'Use registerPrompt("ask", { description, argsSchema: schema }, callback).',
    );
  });

  test.each<[string, () => unknown, string]>([
    [
      "a misspelled option",
      () => server().registerTool("echo", { descripton: "x" } as never, callback),
      'Tool "echo": unknown option `descripton`. Did you mean `description`?',
    ],
    [
      "the option of defineServer",
      () => server().registerTool("echo", { input: z.object({}) } as never, callback),
      'Tool "echo": unknown option `input`. Did you mean `inputSchema`?',
    ],
    [
      "the option of a different kind",
      () => server().registerPrompt("ask", { arguments: z.object({}) } as never, (() => ({})) as never),
      'Prompt "ask": unknown option `arguments`. Did you mean `argsSchema`?',
    ],
    [
      "a missing callback",
      () => server().registerTool("echo", {}, undefined as never),
      'Tool "echo": the callback must be a function; got undefined.',
    ],
    [
      "a missing configuration",
      () => server().registerTool("echo", callback as never, undefined as never),
      'Tool "echo": the second argument of `registerTool` must be a configuration; got a function. ' +
        'Use registerTool("echo", {}, callback).',
    ],
    [
      "a resource without a callback",
      () => server().registerResource("r", "a://r", {}, undefined as never),
      'Resource "r": the callback must be a function; got undefined.',
    ],
  ])("rejects %s", (_, register, text) => {
    expect(register).toThrow(text);
  });
});

describe("first-run-a3: unknown options", () => {
  test("of McpServer are rejected with a suggestion", () => {
    const info = { name: "a", version: "1" };
    expect(() => new McpServer(info, { instruction: "x" } as never)).toThrow(
      "McpServer: unknown option `instruction`. Did you mean `instructions`?",
    );
    expect(() => new McpServer(info, { exposeError: true } as never)).toThrow("Did you mean `exposeErrors`?");
  });

  test("official SDK options that Tenon does not use are accepted", () => {
    const options = {
      capabilities: { tools: {} },
      instructions: "x",
      enforceStrictCapabilities: true,
      debouncedNotificationMethods: [],
      jsonSchemaValidator: {},
      taskStore: {},
      taskMessageQueue: {},
      defaultTaskPollInterval: 1,
      maxTaskQueueSize: 1,
    };
    expect(() => new McpServer({ name: "a", version: "1" }, options as never)).not.toThrow();
  });

  test("of connect and toServerSource are rejected with a suggestion", async () => {
    const tenon = defineServer({ name: "a", version: "1" }).build();
    const [transport] = InMemoryTransport.createLinkedPair();
    await expect(connect(tenon, transport, { onerror: () => {} } as never)).rejects.toThrow(
      "connect: unknown option `onerror`. Did you mean `onError`?",
    );
    expect(() => toServerSource({ server: tenon } as never)).toThrow(
      "toServerSource: unknown option `server`. Did you mean `mcpServer`?",
    );
    expect(() => toServerSource({ factory: () => tenon } as never)).toThrow("Did you mean `serverFactory`?");
  });
});
