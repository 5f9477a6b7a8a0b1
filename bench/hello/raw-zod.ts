/**
 * @fileoverview One tool on stdio with zod and no framework.
 * @module bench/hello/raw-zod
 */
import { createInterface } from "node:readline";
import { z } from "zod";

const input = z.object({ name: z.string() });
const inputSchema = z.toJSONSchema(input);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as {
    readonly id?: number;
    readonly method: string;
    readonly params?: { readonly arguments?: unknown };
  };
  if (id === undefined) return;
  const capabilities = { tools: {} };
  const serverInfo = { name: "hello", version: "1.0.0" };
  const results: Record<string, () => object> = {
    initialize: () => ({ protocolVersion: "2025-06-18", capabilities, serverInfo }),
    "tools/list": () => ({ tools: [{ name: "hello", inputSchema }] }),
    "tools/call": () => ({
      content: [{ type: "text", text: `Hello, ${input.parse(params?.arguments).name}` }],
    }),
  };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.() ?? {} })}\n`);
});
