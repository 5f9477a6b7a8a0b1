/**
 * @fileoverview Server of the official SDK, version 2, over HTTP.
 * @module tests/cli/support/page/servers/sdk-v2
 */
import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Creates the server. */
export function createServer(): McpServer {
  const server = new McpServer({ name: "sdk-v2", version: "2.0.0" });
  server.registerTool(
    "add",
    { description: "Adds two numbers", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  return server;
}

/** Creates a listener for both eras. */
export function createListener(): RequestListener {
  const handler = createMcpHandler(createServer);
  const listener = getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}
