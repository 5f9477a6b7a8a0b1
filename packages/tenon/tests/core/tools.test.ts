import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer, type LogEntry, type Middleware, textResult } from "../../src/index.js";
import { REVISIONS } from "../../src/protocol/index.js";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";
import { createClient } from "../../src/testing/index.js";
import { exchangeOf, handle, replyTo, toolCall } from "../../../../tests/support/requests.js";

const info = { name: "a", version: "1" };

describe("return values of handlers", () => {
  const block = { type: "image" as const, data: "aGk=", mimeType: "image/png" };

  test.each<readonly [string, unknown, object]>([
    ["text", "hi", { content: [{ type: "text", text: "hi" }] }],
    ["empty text", "", { content: [{ type: "text", text: "" }] }],
    ["nothing", undefined, { content: [] }],
    ["null", null, { content: [] }],
    ["a number", 42, { content: [{ type: "text", text: "42" }] }],
    ["false", false, { content: [{ type: "text", text: "false" }] }],
    ["an object", { a: [1] }, { content: [{ type: "text", text: '{"a":[1]}' }] }],
    ["a list", [1, 2], { content: [{ type: "text", text: "[1,2]" }] }],
    ["an empty list", [], { content: [{ type: "text", text: "[]" }] }],
    ["a block", block, { content: [block] }],
    ["blocks", [block, { type: "text", text: "x" }], { content: [block, { type: "text", text: "x" }] }],
    ["a full result", { content: [block], isError: true }, { content: [block], isError: true }],
    [
      "an object with other content",
      { content: "x" },
      { content: [{ type: "text", text: '{"content":"x"}' }] },
    ],
    [
      "a block of an unknown type",
      { type: "video" },
      { content: [{ type: "text", text: '{"type":"video"}' }] },
    ],
  ])("%s is converted to content", async (_name, value, expected) => {
    const server = defineServer(info)
      .tool("now", { handler: () => value as string })
      .tool("later", { handler: async () => value as string })
      .build();
    for (const name of ["now", "later"]) {
      expect(
        (await replyTo(server, toolCall(name), exchangeOf({ revision: "2025-11-25", era: "legacy" }))).result,
      ).toEqual(expected);
    }
  });

  test("a synchronous handler returns a response without a promise", () => {
    const server = defineServer(info)
      .tool("now", { input: z.object({ n: z.number() }), handler: ({ n }) => n })
      .build();
    expect(server.handle(toolCall("now", { n: 1 }), undefined)).not.toBeInstanceOf(Promise);
  });
});

describe("content blocks", () => {
  const blocks = [
    { type: "text" as const, text: "t", annotations: { audience: ["user" as const], priority: 1 } },
    { type: "image" as const, data: "aGk=", mimeType: "image/png" },
    { type: "audio" as const, data: "aGk=", mimeType: "audio/wav" },
    { type: "resource" as const, resource: { uri: "doc://a", text: "x" } },
    { type: "resource_link" as const, uri: "doc://b", name: "b", title: "B" },
  ];

  test.each(REVISIONS)("%s receives them unchanged or as text", async (revision) => {
    const client = await createClient(defineServer(info).tool("all", { handler: () => blocks }), {
      revision,
    });
    const { content } = await client.callTool("all", {});
    const types = content.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(["text", "image"]);
    if (revision === "2024-11-05") {
      expect(content[2]).toEqual({ type: "text", text: "[audio audio/wav, 4 base64 characters]" });
    } else {
      expect(types[2]).toBe("audio");
    }
    if (revision < "2025-06-18") expect(content[4]).toEqual({ type: "text", text: "B: doc://b" });
    else expect(types[4]).toBe("resource_link");
  });
});

describe("structured output", () => {
  const server = defineServer(info)
    .tool("object", { output: z.object({ n: z.number() }), handler: () => ({ n: 1 }) })
    .tool("list", { output: z.array(z.number()), handler: () => [1, 2] })
    .tool("choice", {
      output: z.union([z.object({ a: z.string() }), z.string()]),
      handler: () => ({ a: "x" }),
    })
    .tool("full", {
      output: z.object({ n: z.number() }),
      handler: () => ({
        content: [{ type: "text" as const, text: "one" }],
        structuredContent: { n: 1, extra: 2 },
      }),
    })
    .tool("wrong", { output: z.object({ n: z.number() }), handler: () => ({ n: "x" }) as never })
    .tool("bare", { output: z.object({ n: z.number() }), handler: () => textResult("no data") })
    .tool("failed", {
      output: z.object({ n: z.number() }),
      handler: () => ({ ...textResult("no"), isError: true }),
    })
    .build();

  test.each(REVISIONS)("%s receives the members that it supports", async (revision) => {
    const client = await createClient(server, { revision });
    const known = revision >= "2025-06-18";
    const wraps = revision < "2026-07-28";
    const structured = async (name: "object" | "list" | "choice" | "full") =>
      (await client.callTool(name, {})).structuredContent;
    expect(await structured("object")).toEqual(known ? { n: 1 } : undefined);
    expect(await structured("list")).toEqual(known ? (wraps ? { result: [1, 2] } : [1, 2]) : undefined);
    expect(await structured("choice")).toEqual(
      known ? (wraps ? { result: { a: "x" } } : { a: "x" }) : undefined,
    );
    expect(await structured("full")).toEqual(known ? { n: 1 } : undefined);
    expect((await client.callTool("list", {})).content).toEqual([{ type: "text", text: "[1,2]" }]);
    const tools = await client.listTools();
    const outputs = tools.map(({ outputSchema }) => outputSchema?.["type"]);
    expect(outputs.slice(0, 2)).toEqual(
      known ? ["object", wraps ? "object" : "array"] : [undefined, undefined],
    );
  });

  test("output that does not match the schema is a tool error, and only the log contains details", async () => {
    const entries: LogEntry[] = [];
    const loud = defineServer({ ...info, log: (entry) => entries.push(entry) })
      .tool("wrong", { output: z.object({ n: z.number() }), handler: () => ({ n: "x" }) as never })
      .build();
    expect((await replyTo(loud, toolCall("wrong"))).result).toEqual({
      content: [{ type: "text", text: "Tool wrong failed" }],
      isError: true,
    });
    expect(entries).toMatchObject([{ event: "output-invalid", name: "wrong" }]);
    expect((await replyTo(server, toolCall("bare"))).result).toMatchObject({ isError: true });
    expect((await replyTo(server, toolCall("failed"))).result).toMatchObject({
      isError: true,
      content: [{ text: "no" }],
    });
  });
});

describe("input", () => {
  test("invalid arguments become a result for the model", async () => {
    const server = defineServer(info)
      .tool("t", { input: z.object({ city: z.string(), days: z.number().max(7) }), handler: () => "x" })
      .build();
    expect((await replyTo(server, toolCall("t", { days: 9 }))).result).toEqual({
      content: [
        {
          type: "text",
          text: "Validation failed: city: Invalid input: expected string, received undefined; days: Too big: expected number to be <=7",
        },
      ],
      isError: true,
    });
  });

  test('validationErrors: "protocol" reports them as -32602', async () => {
    const server = defineServer({ ...info, validationErrors: "protocol" })
      .tool("t", { input: z.object({ city: z.string() }), handler: () => "x" })
      .build();
    expect((await replyTo(server, toolCall("t", {}))).error?.code).toBe(-32602);
  });

  test("an asynchronous check is awaited", async () => {
    const input = z.object({ n: z.number() }).refine(async ({ n }) => n > 1, "too small");
    const server = defineServer(info)
      .tool("t", { input, handler: ({ n }) => n })
      .build();
    expect((await replyTo(server, toolCall("t", { n: 2 }))).result).toMatchObject({
      content: [{ text: "2" }],
    });
    expect((await replyTo(server, toolCall("t", { n: 1 }))).result).toMatchObject({
      isError: true,
      content: [{ text: "Validation failed: too small" }],
    });
  });

  test("unknown fields are removed, and a tool without a schema receives no fields", async () => {
    const seen: unknown[] = [];
    const server = defineServer(info)
      .tool("some", { input: z.object({ a: z.string() }), handler: (args) => (seen.push(args), "") })
      .tool("none", { handler: (args) => (seen.push(args), "") })
      .build();
    await handle(server, toolCall("some", { a: "x", admin: true }));
    await handle(server, toolCall("none", { admin: true }));
    expect(seen).toEqual([{ a: "x" }, {}]);
  });

  test("arguments are validated against a JSON Schema", async () => {
    const server = defineServer({ ...info, jsonSchema: await loadJsonSchema() })
      .tool("t", {
        input: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] },
        handler: ({ n }) => Number(n) + 1,
      })
      .build();
    expect((await replyTo(server, toolCall("t", { n: 1 }))).result).toMatchObject({
      content: [{ text: "2" }],
    });
    expect((await replyTo(server, toolCall("t", { n: 0 }))).result).toMatchObject({
      isError: true,
      content: [{ text: "Validation failed: n: must be >= 1" }],
    });
  });

  test.each([
    [
      "a name that is empty",
      () => defineServer(info).tool("", { handler: () => "" }),
      "Tool: the name must be a non-empty string; got an empty string.",
    ],
    [
      "a name that is too long",
      () => defineServer(info).tool("x".repeat(129), { handler: () => "" }),
      /at most 128 characters long; got 129\.$/,
    ],
    [
      "a name with a line break",
      () => defineServer(info).tool("a\nb", { handler: () => "" }),
      /must not contain control characters\.$/,
    ],
    [
      "a tool without handler",
      () => defineServer(info).tool("t", {} as never),
      'Tool "t": `handler` is required. Set it to a function.',
    ],
    [
      "an input that is not an object",
      () => defineServer(info).tool("t", { input: z.string(), handler: () => "" }),
      'Tool "t": the input schema must be an object schema; got a string schema. Wrap it in z.object({ … }).',
    ],
    [
      "a name that is used twice",
      () =>
        defineServer(info)
          .tool("t", { handler: () => "" })
          .tool("t", { handler: () => "" }),
      'Tool "t" is already defined. Names must be unique.',
    ],
    [
      "an invalid header rule",
      () =>
        defineServer(info).tool("t", {
          input: z.object({ n: z.number().meta({ "x-mcp-header": "N" }) }),
          handler: () => "",
        }),
      'Tool "t": the input schema is invalid at "n". `x-mcp-header` requires the type string, integer, or boolean; got "number".',
    ],
    [
      "a page size of 0",
      () => defineServer({ ...info, pageSize: 0 }),
      "`pageSize` must be a positive integer; got 0.",
    ],
    [
      "a negative lifetime",
      () => defineServer({ ...info, listTtlMs: -1 }),
      "`listTtlMs` must be a non-negative integer (milliseconds); got -1.",
    ],
  ])("%s fails the build", (_name, define, reason) => {
    expect(() => define().build()).toThrow(reason);
  });

  test("definitions are frozen", async () => {
    const annotations = { readOnlyHint: true };
    const server = defineServer(info)
      .tool("t", { annotations, handler: () => "" })
      .build();
    annotations.readOnlyHint = false;
    const client = await createClient(server);
    expect((await client.listTools())[0]?.annotations).toEqual({ readOnlyHint: true });
  });
});

describe("middleware", () => {
  const layer =
    (trail: string[], name: string): Middleware =>
    async (operation, next) => {
      trail.push(`${name} in ${operation.kind} ${operation.name}`);
      const result = await next();
      trail.push(`${name} out`);
      return result;
    };

  test("runs around every operation, even those defined earlier, and the first is the outermost", async () => {
    const trail: string[] = [];
    const server = defineServer(info)
      .tool("t", { input: z.object({ n: z.number() }), handler: ({ n }) => (trail.push(`run ${n}`), "") })
      .use(layer(trail, "one"), layer(trail, "two"))
      .resource("r", { uri: "doc://r", handler: () => "" })
      .resourceTemplate("f", { uriTemplate: "doc://f/{id}", handler: () => "" })
      .prompt("p", { handler: () => "" })
      .build();
    const client = await createClient(server);
    await client.callTool("t", { n: 1 });
    expect(trail.splice(0)).toEqual(["one in tool t", "two in tool t", "run 1", "two out", "one out"]);
    await client.readResource("doc://r");
    await client.readResource("doc://f/1");
    await client.getPrompt("p");
    expect(trail.filter((step) => step.startsWith("one in"))).toEqual([
      "one in resource r",
      "one in resource f",
      "one in prompt p",
    ]);
  });

  test("receives validated arguments, can return a result itself, and can throw", async () => {
    const server = defineServer<{ role: string }>(info)
      .use((operation, next) => {
        if (operation.call.context.role === "guest")
          return textResult(`no ${JSON.stringify(operation.args)}`);
        if (operation.call.context.role === "broken") throw new Error("broken");
        return next();
      })
      .tool("t", { input: z.object({ n: z.coerce.number() }), handler: () => "ran" })
      .build();
    const call = async (role: string) =>
      (await server.handle(toolCall("t", { n: "7" }), { role })).intoJsonRpc()?.result;
    expect(await call("guest")).toEqual(textResult('no {"n":7}'));
    expect(await call("user")).toEqual(textResult("ran"));
    expect(await call("broken")).toMatchObject({ isError: true });
  });
});
