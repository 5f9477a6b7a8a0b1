/**
 * @fileoverview Server of mcp-lite over HTTP, with or without sessions.
 * @module tests/cli/support/page/servers/mcp-lite
 */
import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";

/** Creates a listener. */
export function createListener({ hasSessions }: { readonly hasSessions: boolean }): RequestListener {
  const server = new McpServer({
    name: "mcp-lite",
    version: "1.0.0",
    schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType), // Safe: only Zod schemas are used
  }).tool("add", {
    description: "Adds two numbers",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    handler: ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  });
  const sessionAdapter = new InMemorySessionAdapter({ maxEventBufferSize: 100 });
  const handler = new StreamableHttpTransport(hasSessions ? { sessionAdapter } : {}).bind(server);
  const listener = getRequestListener((request) => handler(request), { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}
