import { describe, expect, test } from "vitest";
import { countBlocks } from "../../../../tests/support/block-counts.js";

const serverOf = (tools: number) => `
  import { defineServer } from "tenon";
  import { z } from "zod";
  const input = z.object({ n: z.number() });
  const builder = defineServer({ name: "a", version: "1" });
  for (let index = 0; index < ${tools}; index++) {
    builder.tool("t" + String(index).padStart(6, "0"), { description: "d", input, handler: ({ n }) => n });
  }
  const server = builder.build();
  const last = "t" + String(${tools - 1}).padStart(6, "0");
`;
const calling =
  "const work = async () => (await server.handle({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: last, arguments: { n: 1 } } })).toText();";
const listing =
  "const work = async () => (await server.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).parts();";

describe("the cost of a request, in executed blocks", () => {
  test("R30: a call costs the same with 10 tools and with 10,000", async () => {
    const [few, many] = await Promise.all([
      countBlocks(serverOf(10) + calling),
      countBlocks(serverOf(10_000) + calling),
    ]);
    expect(few).toBeGreaterThan(10);
    expect(many).toBe(few);
  });

  test("R24: a list costs the same with 10 tools and with 10,000", async () => {
    const [few, many] = await Promise.all([
      countBlocks(serverOf(10) + listing),
      countBlocks(serverOf(10_000) + listing),
    ]);
    expect(few).toBeGreaterThan(5);
    // V8 may count a block less in recent versions of Node.
    expect(many).toBeLessThanOrEqual(few);
  });

  test("the counter detects growing work", async () => {
    const building = (tools: number) => `${serverOf(tools)} const work = async () => void builder.build();`;
    const [few, many] = await Promise.all([countBlocks(building(10)), countBlocks(building(100))]);
    expect(many).toBeGreaterThan(few * 2);
  });
});
