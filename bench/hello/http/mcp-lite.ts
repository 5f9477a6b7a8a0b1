/**
 * @fileoverview One tool over HTTP with mcp-lite behind `@hono/node-server`.
 * @module bench/hello/http/mcp-lite
 */
import { serve } from "@hono/node-server";
import { McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";

const server = new McpServer({
  name: "hello",
  version: "1.0.0",
  schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType),
}).tool("hello", {
  inputSchema: z.object({ name: z.string() }),
  handler: ({ name }) => ({ content: [{ type: "text", text: `Hello, ${name}` }] }),
});

const handler = new StreamableHttpTransport().bind(server);
serve({ fetch: (request) => handler(request), port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`${port}\n`);
});
