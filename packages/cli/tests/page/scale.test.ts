import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { defineServer } from "tenon";
import { toNodeHandler } from "tenon/node";
import { z } from "zod";
import { inspectAt, serveHttp } from "../support/page/inspected.js";

test("1,000 tools are listed and analyzed without blocking calls", async () => {
  let builder = defineServer({ name: "large", version: "1.0.0", pageSize: 100 });
  for (let index = 0; index < 1_000; index++) {
    builder = builder.tool(`tool-${index}`, {
      description: `Tool number ${index}, which returns its text`,
      input: z.object({ text: z.string().describe("Text to return"), count: z.number().int().optional() }),
      handler: ({ text }) => text,
    });
  }
  const origin = await serveHttp(toNodeHandler(builder.build()));
  const { client } = await inspectAt(`${origin}/mcp`);
  await client.connected();
  await client.server(({ tools }) => tools.length === 1_000);
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  const { id } = await client.command("call", { tool: "tool-999", arguments: { text: "hi" }, era: "modern" });
  expect(await client.call(id)).toMatchObject({ outcome: "ok" });
  const state = await client.server(({ views }) => views[0]?.tokens !== undefined);
  clearInterval(timer);
  expect(state.tools.every(({ tokens = 0 }) => tokens > 0)).toBe(true);
  // Loading the tokenizer, and the rules for all tools, are the longest steps.
  expect(longest).toBeLessThan(3_000);
});
