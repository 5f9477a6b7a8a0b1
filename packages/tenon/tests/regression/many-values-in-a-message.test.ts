import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/core/define-server.js";
import { receive } from "../../src/core/wire/receive.js";
import type { McpResponse } from "../../src/core/wire/response.js";
import { createTool } from "../../src/grouped/index.js";
import { DEFAULT_LIMITS } from "../../src/protocol/index.js";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";

/**
 * Zod spreads all of a field's issues onto the stack. With enough issues, the stack overflowed after several seconds.
 */

const WIDE = z.object(
  Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, z.string()])),
);
const ITEMS = { type: "array", items: { type: "number" } };

const server = defineServer({ name: "a", version: "1", jsonSchema: await loadJsonSchema() })
  .tool("numbers", { input: z.object({ items: z.array(z.number()) }), handler: () => "fine" })
  .tool("rows", { input: z.object({ items: z.array(WIDE) }), handler: () => "fine" })
  .tool("late", {
    input: z.object({ items: z.array(z.number()), a: z.string().refine(async () => true) }),
    handler: () => "fine",
  })
  .tool("choices", {
    input: z.object({ items: z.array(z.union([z.number(), z.object({ a: z.string() })])) }),
    handler: () => "fine",
  })
  .tool("map", { input: z.object({ map: z.record(z.string(), z.number()) }), handler: () => "fine" })
  .tool("strict", { input: z.strictObject({ a: z.string().optional() }), handler: () => "fine" })
  .tool("data", {
    input: { type: "object", properties: { items: ITEMS }, additionalProperties: false },
    handler: () => "fine",
  })
  .tools(
    createTool("group")
      .strict()
      .commonSchema(z.object({ items: z.array(z.number()).optional() }))
      .action({
        name: "run",
        schema: z.object({ items: z.array(z.number()).optional() }),
        handler: () => "fine",
      }),
  )
  .build();

const list = (item: string, count: number) => `[${Array.from({ length: count }, () => item).join(",")}]`;
const map = (value: string, count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join(",")}}`;
const call = (name: string, args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;

async function answer(text: string): Promise<unknown> {
  return ((await receive(server, text, { context: undefined })) as McpResponse).intoJsonRpc();
}

describe("a message with more values than the limit", () => {
  const { maxBytes, maxValues } = DEFAULT_LIMITS;

  test.each([
    ["invalid items", call("numbers", `{"items":${list('""', 1_300_000)}}`)],
    ["a list of empty objects", call("rows", `{"items":${list("{}", 1_300_000)}}`)],
    ["keys", call("strict", map("1", 330_000))],
    ["one value too many", call("numbers", `{"items":${list("1", maxValues - 7)}}`)],
  ])("is rejected with the limit's name: %s", async (_, text) => {
    expect(text.length).toBeLessThanOrEqual(maxBytes);
    expect(await answer(text)).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32600,
        message: `The message has more than ${maxValues} values. Send a smaller message, or raise \`maxValues\` on the server.`,
      },
    });
  });

  test("is accepted with one value fewer", async () => {
    expect(await answer(call("numbers", `{"items":${list("1", maxValues - 8)}}`))).toMatchObject({
      result: { content: [{ text: "fine" }] },
    });
  });
});

describe("a message of invalid values at the limit", () => {
  const count = DEFAULT_LIMITS.maxValues - 10;

  test.each([
    ["numbers", `{"items":${list('""', count)}}`, /^Validation failed: items\.0: /],
    ["numbers", `{"items":${list(`"${"x".repeat(30)}"`, count)}}`, /^Validation failed: items\.0: /],
    ["rows", `{"items":${list("{}", count)}}`, /^Validation failed: items\.0\.f0: /],
    ["late", `{"items":${list('""', count)},"a":"x"}`, /^Validation failed: items\.0: /],
    ["choices", `{"items":${list('""', count)}}`, /^Validation failed: items\.0: /],
    ["map", `{"map":${map('""', count)}}`, /^Validation failed: map\.k0: /],
    ["strict", map("1", count), /^Validation failed: Unrecognized keys: "k0", /],
    ["data", `{"items":${list('""', count)}}`, /^Validation failed: items\.0: must be number/],
    ["data", map("1", count), /^Validation failed: k0: is not allowed/],
    ["group", `{"action":"run","items":${list('""', count)}}`, /^Validation failed: items\.0: /],
    ["group", map('""', count).replace("{", '{"action":"run",'), /^Validation failed: k0: unknown field/],
  ])("reports the first issues: %s", async (name, args, text) => {
    const reply = await answer(call(name, args));
    expect(reply).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringMatching(text) }] },
    });
    expect(JSON.stringify(reply).length).toBeLessThan(10_000);
  });
});
