import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTool } from "../../src/grouped/index.js";
import { defineServer, form, type LogEntry, McpError } from "../../src/index.js";
import { createClient } from "../../src/testing/index.js";

/** Unexpected failures reached neither the client nor the operator unless the server was built with `log`. */

const INFO = { name: "a", version: "1" };

const circular: Record<string, unknown> = {};
circular["self"] = circular;

const fail = (message: string): never => {
  throw new Error(message);
};

function failingServer(log?: (entry: LogEntry) => void) {
  return defineServer({ ...INFO, ...(log === undefined ? {} : { log }) })
    .tool("boom", { handler: () => fail("kaboom") })
    .tool("late", { handler: async () => Promise.reject(new Error("kaboom")) })
    .tool("wrong", { output: z.object({ n: z.number() }), handler: () => ({ n: "x" }) as never })
    .tool("loop", { handler: () => circular })
    .tool("big", { handler: () => ({ n: 1n }) })
    .tool("big-structured", {
      output: z.any(),
      handler: () => ({ n: 1n }),
    })
    .tool("big-result", {
      handler: () => ({ content: [{ type: "text", text: "x" }], structuredContent: { n: 1n } }),
    })
    .tool("ask", {
      handler: async (_args, call) => {
        await call.input(
          "who",
          form({ message: "Who?", schema: z.object({ a: z.object({ b: z.string() }) }) }),
        );
      },
    })
    .resource("r", { uri: "a://r", handler: () => fail("no disk") })
    .resourceTemplate("t", { uriTemplate: "a://t/{x}", handler: () => fail("no template") })
    .prompt("p", {
      arguments: [{ name: "city" }],
      complete: { city: () => fail("no completer") },
      handler: () => fail("no prompt"),
    })
    .build();
}

describe("first-run-a1: every unexpected failure reaches the log with its name and the original error", () => {
  test.each<[string, object, Partial<LogEntry>, string]>([
    ["tools/call", { name: "boom" }, { event: "handler-failed", name: "boom" }, "kaboom"],
    ["tools/call", { name: "late" }, { event: "handler-failed", name: "late" }, "kaboom"],
    [
      "tools/call",
      { name: "wrong" },
      { event: "output-invalid", name: "wrong" },
      'Tool "wrong": the output does not match the output schema: n: Invalid input: expected number, received string',
    ],
    [
      "tools/call",
      { name: "loop" },
      { event: "output-invalid", name: "loop" },
      'Tool "loop": the result cannot be serialized to JSON: Converting circular structure to JSON',
    ],
    [
      "tools/call",
      { name: "big" },
      { event: "output-invalid", name: "big" },
      'Tool "big": the result cannot be serialized to JSON: Do not know how to serialize a BigInt',
    ],
    [
      "tools/call",
      { name: "big-structured" },
      { event: "output-invalid", name: "big-structured" },
      'Tool "big-structured": the result cannot be serialized to JSON: Do not know how to serialize a BigInt',
    ],
    [
      "tools/call",
      { name: "big-result" },
      { event: "output-invalid", name: "big-result" },
      'Tool "big-result": the result cannot be serialized to JSON: Do not know how to serialize a BigInt',
    ],
    [
      "tools/call",
      { name: "ask" },
      { event: "handler-failed", name: "ask" },
      'Form field "a" must be a string, number, boolean, or choice; got an object schema. Nested fields are not supported.',
    ],
    ["resources/read", { uri: "a://r" }, { event: "handler-failed", name: "r" }, "no disk"],
    ["resources/read", { uri: "a://t/1" }, { event: "handler-failed", name: "t" }, "no template"],
    ["prompts/get", { name: "p" }, { event: "handler-failed", name: "p" }, "no prompt"],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "p" }, argument: { name: "city", value: "" } },
      { event: "handler-failed", name: "city" },
      "no completer",
    ],
  ])("%s %j", async (method, params, entry, message) => {
    const entries: LogEntry[] = [];
    const server = failingServer();
    server.useLog((one) => entries.push(one));
    const client = await createClient(server);
    await client.request(method, { ...params }).catch(() => undefined);
    const errors = entries.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ level: "error", operation: method, ...entry }]);
    const [logged] = errors;
    const error = logged !== undefined && "error" in logged ? logged.error : undefined;
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message.startsWith(message)).toBe(true);
    expect((error as Error).stack).toMatch(/\n\s+at /);
  });
});

describe("first-run-a1: `useLog`", () => {
  test("does not replace the `log` option or an earlier sink", async () => {
    const own: LogEntry[] = [];
    const first: LogEntry[] = [];
    const second: LogEntry[] = [];
    const withOption = failingServer((entry) => own.push(entry));
    withOption.useLog((entry) => first.push(entry));
    const without = failingServer();
    without.useLog((entry) => first.push(entry));
    without.useLog((entry) => second.push(entry));
    for (const server of [withOption, without]) {
      await (await createClient(server)).callTool("boom", {});
    }
    expect([own, first, second].map((list) => list.filter(({ level }) => level === "error").length)).toEqual([
      1, 1, 0,
    ]);
  });

  test("applies to views, and a sink that throws does not fail a call", async () => {
    const entries: LogEntry[] = [];
    const server = failingServer();
    const view = server.view({ exclude: ["none"] });
    server.useLog((entry) => {
      entries.push(entry);
      throw new Error("disk full");
    });
    const result = await (await createClient(view)).callTool("boom", {});
    expect(result).toMatchObject({ isError: true, content: [{ text: "Tool boom failed" }] });
    expect(entries).toContainEqual(expect.objectContaining({ event: "handler-failed", name: "boom" }));
  });

  test("does not receive errors that a handler throws deliberately", async () => {
    const entries: LogEntry[] = [];
    const server = defineServer(INFO)
      .tool("t", {
        handler: () => {
          throw new McpError("NOT_FOUND", "No such city.");
        },
      })
      .build();
    server.useLog((entry) => entries.push(entry));
    await (await createClient(server)).callTool("t", {});
    expect(entries.filter(({ level }) => level === "error")).toEqual([]);
  });
});

describe("first-run-a1: a call rejected by its input schema", () => {
  test.each<[string, string, object, string]>([
    ["tools/call", "double", { n: "x" }, "n: Invalid input: expected number, received string"],
    ["tools/call", "loaded", {}, 'missing required field "text"'],
    ["tools/call", "g", { action: "run" }, "n"],
    ["prompts/get", "p", {}, "city: is required"],
  ])("is logged at level info: %s %s", async (method, name, args, message) => {
    const entries: LogEntry[] = [];
    const server = defineServer({ ...INFO, log: (entry) => entries.push(entry) })
      .tool("double", { input: z.object({ n: z.number() }), handler: ({ n }) => 2 * n })
      .tools([{ name: "loaded", inputSchema: { type: "object", required: ["text"] } }])
      .tools(createTool("g").action({ name: "run", schema: z.object({ n: z.number() }), handler: () => "x" }))
      .prompt("p", { arguments: [{ name: "city", required: true }], handler: () => "x" })
      .build();
    const client = await createClient(server);
    await client.request(method, { name, arguments: args }).catch(() => undefined);
    expect(entries.filter(({ event }) => event !== "initialize")).toEqual([
      {
        level: "info",
        event: "arguments-rejected",
        operation: method,
        name,
        message: expect.stringContaining(message),
      },
    ]);
  });

  test("is logged as bounded, printable text", async () => {
    const entries: LogEntry[] = [];
    const server = defineServer({ ...INFO, log: (entry) => entries.push(entry) })
      .tool("strict", { input: z.strictObject({}), handler: () => "x" })
      .build();
    const client = await createClient(server);
    await client.request("tools/call", {
      name: "strict",
      arguments: { [`\u001b[31m\n${"k".repeat(10_000)}`]: 1 },
    });
    const rejected = entries.find(({ event }) => event === "arguments-rejected");
    const message = rejected !== undefined && "message" in rejected ? rejected.message : "";
    expect(message).toMatch(/^[\x20-\x7e]{20,1000}$/);
  });
});
