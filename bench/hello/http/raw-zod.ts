/**
 * @fileoverview One tool over HTTP with zod and no framework.
 * @module bench/hello/http/raw-zod
 */
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const input = z.object({ name: z.string() });
const inputSchema = z.toJSONSchema(input);

function answer(text: string): string {
  const { id, method, params } = JSON.parse(text) as {
    readonly id?: number;
    readonly method: string;
    readonly params?: { readonly arguments?: unknown };
  };
  const capabilities = { tools: {} };
  const serverInfo = { name: "hello", version: "1.0.0" };
  const results: Record<string, () => object> = {
    initialize: () => ({ protocolVersion: "2025-06-18", capabilities, serverInfo }),
    "tools/list": () => ({ tools: [{ name: "hello", inputSchema }] }),
    "tools/call": () => ({
      content: [{ type: "text", text: `Hello, ${input.parse(params?.arguments).name}` }],
    }),
  };
  return JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.() ?? {} });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = answer(Buffer.concat(chunks).toString());
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
    });
    response.end(text);
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
