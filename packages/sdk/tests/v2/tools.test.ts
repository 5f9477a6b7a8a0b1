/**
 * @fileoverview Tools behave as in the official SDK, version 2.
 * @module tests/sdk/v2/tools
 */
import { fromJsonSchema } from "@modelcontextprotocol/server";
import { describe, expect } from "vitest";
import { z } from "zod";
import { type Behavior, compare, type Register, text } from "../support/v2/both-sides.js";

const call =
  (name: string, args?: Record<string, unknown>): Behavior["ask"] =>
  async ({ client }) =>
    client.callTool({ name, ...(args === undefined ? {} : { arguments: args }) });
const list: Behavior["ask"] = async ({ client }) => client.listTools();

const echo: Register = (server) =>
  server.registerTool(
    "echo",
    { inputSchema: z.object({ a: z.string(), n: z.number().optional() }).describe("input") },
    (args) => text(JSON.stringify(args)),
  );

describe("tools/list", () => {
  compare([
    {
      title: "lists every member of a definition",
      register: (server) =>
        server.registerTool(
          "full",
          {
            title: "Full",
            description: "All members",
            inputSchema: z.object({ a: z.string().describe("a text"), b: z.enum(["x", "y"]).default("x") }),
            outputSchema: z.object({ n: z.number() }),
            annotations: { readOnlyHint: true, title: "Hint" },
            icons: [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"] }],
            _meta: { "example.com/key": { deep: [1] } },
          },
          () => ({ content: [], structuredContent: { n: 1 } }),
        ),
      ask: list,
      shows: { answer: { tools: [{ name: "full", icons: [{ mimeType: "image/png" }], _meta: {} }] } },
    },
    {
      title: "lists tools without a schema, from a raw shape, and from a JSON Schema",
      register: (server) => {
        server.registerTool("none", {}, () => text(""));
        server.registerTool("shape", { inputSchema: { a: z.string() } }, () => text(""));
        server.registerTool("empty", { inputSchema: {} }, () => text(""));
        const schema = fromJsonSchema({
          type: "object",
          properties: { b: { type: "number" } },
          required: ["b"],
        });
        server.registerTool("json", { inputSchema: schema }, () => text(""));
      },
      ask: list,
      shows: {
        answer: { tools: [{ name: "none" }, { name: "shape" }, { name: "empty" }, { name: "json" }] },
      },
    },
    {
      title: "lists a union of objects as an input schema",
      register: (server) =>
        server.registerTool(
          "either",
          { inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
          (args) => text(JSON.stringify(args)),
        ),
      ask: list,
      shows: { answer: { tools: [{ inputSchema: { type: "object", anyOf: [{}, {}] } }] } },
    },
    {
      title: "lists output schemas whose root is not an object",
      register: (server) => {
        const schema = fromJsonSchema({
          type: "array",
          items: { $ref: "#/$defs/a" },
          $defs: { a: { type: "string" } },
        });
        server.registerTool("list", { outputSchema: schema }, () => ({
          content: [],
          structuredContent: ["a"],
        }));
        server.registerTool(
          "union",
          {
            outputSchema: z.discriminatedUnion("k", [
              z.object({ k: z.literal("a") }),
              z.object({ k: z.literal("b") }),
            ]),
          },
          () => ({ content: [], structuredContent: { k: "a" as const } }),
        );
      },
      ask: list,
      shows: { answer: { tools: [{ name: "list" }, { name: "union", outputSchema: { type: "object" } }] } },
    },
    {
      title: "is unknown without tools",
      register: () => undefined,
      ask: async ({ client }) => client.request({ method: "tools/list" }),
      shows: { refused: {} },
    },
    {
      title: "is empty if the capability was declared",
      register: () => undefined,
      ask: list,
      shows: { answer: { tools: [] } },
      options: { server: { capabilities: { tools: { listChanged: false } } } },
    },
  ]);
});

describe("tools/call", () => {
  compare([
    {
      title: "passes parsed arguments",
      register: echo,
      ask: call("echo", { a: "x", extra: 1 }),
      shows: { answer: text('{"a":"x"}') },
    },
    {
      title: "applies transforms and defaults",
      register: (server) =>
        server.registerTool(
          "t",
          { inputSchema: z.object({ a: z.string().transform(Number), b: z.string().default("d") }) },
          (args) => text(JSON.stringify(args)),
        ),
      ask: call("t", { a: "4" }),
      shows: { answer: text('{"a":4,"b":"d"}') },
    },
    {
      title: "reports every invalid argument",
      register: echo,
      ask: call("echo", { a: 1, n: "x" }),
      shows: { answer: { isError: true } },
    },
    {
      title: "reports missing arguments",
      register: echo,
      ask: call("echo"),
      shows: { answer: { isError: true } },
    },
    {
      title: "reports nested paths",
      register: (server) =>
        server.registerTool("n", { inputSchema: z.object({ a: z.array(z.object({ b: z.string() })) }) }, () =>
          text(""),
        ),
      ask: call("n", { a: [{ b: 1 }] }),
      shows: { answer: { isError: true, content: [{ text: expect.stringContaining("a.0.b: ") }] } },
    },
    {
      title: "reports issues of a JSON Schema",
      register: (server) => {
        const schema = fromJsonSchema({
          type: "object",
          properties: { b: { type: "number" } },
          required: ["b"],
        });
        server.registerTool("json", { inputSchema: schema }, (args) => text(JSON.stringify(args)));
      },
      ask: call("json", { b: "x" }),
      shows: { answer: { isError: true } },
    },
    {
      title: "rejects unknown tools",
      register: echo,
      ask: call("nope"),
      shows: { refused: { code: -32602, message: "Tool nope not found" } },
    },
    {
      title: "rejects disabled tools",
      register: (server) => server.registerTool("off", {}, () => text("")).disable(),
      ask: call("off"),
      shows: { refused: { code: -32602, message: "Tool off disabled" } },
    },
    {
      title: "sends the message of an error",
      register: (server) =>
        server.registerTool("fail", {}, () => {
          throw new TypeError("out of ink");
        }),
      ask: call("fail"),
      shows: { answer: { ...text("out of ink"), isError: true } },
    },
    {
      title: "sends the text of a thrown value that is not an error",
      register: (server) =>
        server.registerTool("fail", {}, async () => {
          throw "plain";
        }),
      ask: call("fail"),
      shows: { answer: { ...text("plain"), isError: true } },
    },
    {
      title: "sends a ProtocolError as a result",
      register: (server, sdk) =>
        server.registerTool("fail", {}, () => {
          throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, "bad input", { a: 1 });
        }),
      ask: call("fail"),
      shows: { answer: { ...text("bad input"), isError: true } },
    },
    {
      title: "adds missing content",
      register: (server) => server.registerTool("none", {}, () => ({ structuredContent: { a: 1 } }) as never),
      ask: call("none"),
      shows: { answer: { content: [], structuredContent: { a: 1 } } },
    },
    {
      title: "keeps every kind of content block",
      register: (server) =>
        server.registerTool("blocks", {}, () => ({
          content: [
            { type: "text", text: "t", annotations: { audience: ["user"], priority: 0.5 }, _meta: { a: 1 } },
            { type: "image", data: "AA==", mimeType: "image/png" },
            { type: "audio", data: "AA==", mimeType: "audio/wav" },
            { type: "resource", resource: { uri: "a://b", text: "x" } },
            { type: "resource_link", uri: "a://c", name: "c" },
          ],
          _meta: { "example.com/a": 1 },
        })),
      ask: call("blocks"),
      shows: { answer: { content: [{}, {}, {}, {}, { type: "resource_link" }] } },
    },
    {
      title: "validates structured content",
      register: (server) =>
        server.registerTool("bad", { outputSchema: z.object({ n: z.number() }) }, () => ({
          content: [],
          structuredContent: { n: "x" },
        })),
      ask: call("bad"),
      shows: { answer: { isError: true } },
    },
    {
      title: "requires structured content",
      register: (server) =>
        server.registerTool("none", { outputSchema: z.object({ n: z.number() }) }, () => text("x")),
      ask: call("none"),
      shows: { answer: { isError: true } },
    },
    {
      title: "does not validate structured content of an error",
      register: (server) =>
        server.registerTool("err", { outputSchema: z.object({ n: z.number() }) }, () => ({
          ...text("x"),
          isError: true,
        })),
      ask: call("err"),
      shows: { answer: { isError: true } },
    },
    {
      title: "sends structured content that is an array, with its text",
      register: (server) =>
        server.registerTool("list", { outputSchema: z.array(z.string()) }, () => ({
          content: [],
          structuredContent: ["a"],
        })),
      ask: call("list"),
      shows: { answer: { content: [{ type: "text", text: '["a"]' }] } },
    },
    {
      title: "sends structured content that is falsy",
      register: (server) =>
        server.registerTool("zero", { outputSchema: z.number() }, () => ({
          content: [],
          structuredContent: 0,
        })),
      ask: call("zero"),
      shows: { answer: { content: [{ type: "text", text: "0" }] } },
    },
    {
      title: "limits the number of elements in arguments",
      register: (server) =>
        server.registerTool("many", { inputSchema: z.object({ a: z.array(z.number()) }) }, () => text("")),
      ask: call("many", { a: [1, 2, 3, 4] }),
      shows: {
        answer: {
          isError: true,
          content: [{ text: expect.stringContaining("more than the maximum of 4 elements") }],
        },
      },
      options: { server: { maxToolInputElements: 4 } },
    },
    {
      title: "sends URL elicitation as an error",
      register: (server, sdk) =>
        server.registerTool("url", {}, () => {
          throw new sdk.UrlElicitationRequiredError([
            { mode: "url", message: "Sign in", url: "https://example.com", elicitationId: "1" },
          ]);
        }),
      ask: call("url"),
      shows: { refused: { code: -32042, data: { elicitations: [{ url: "https://example.com" }] } } },
      eras: ["2025"],
    },
  ]);
});

describe("registration", () => {
  const attempt =
    (register: Register): Behavior["ask"] =>
    async ({ server, sdk }) =>
      register(server(), sdk);
  compare([
    {
      title: "rejects a name that is in use",
      register: echo,
      ask: attempt(echo),
      shows: { refused: { message: "Tool echo is already registered" } },
      eras: ["2025"],
    },
    {
      title: "rejects an invalid limit",
      register: () => undefined,
      ask: async ({ sdk }) => new sdk.McpServer({ name: "a", version: "1" }, { maxToolInputElements: 0 }),
      shows: { refused: { name: "RangeError" } },
      eras: ["2025"],
    },
  ]);
});
