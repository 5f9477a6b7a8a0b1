/**
 * @fileoverview Server of the official SDK, version 1, over HTTP with sessions.
 * @module tests/cli/support/page/servers/sdk-v1
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

/** Creates the server. */
export function createServer(): McpServer {
  const server = new McpServer({ name: "sdk-v1", version: "1.0.0" });
  server.registerTool(
    "add",
    { description: "Adds two numbers", inputSchema: { a: z.number(), b: z.number() } },
    ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  return server;
}

/** Creates a listener with one transport for each session. */
export function createListener(): RequestListener {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const known = transports.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await createServer().connect(transport);
    return transport.handleRequest(request, response);
  };
  return (request, response) => void respond(request, response);
}
