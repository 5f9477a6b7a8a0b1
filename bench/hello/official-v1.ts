/**
 * @fileoverview One tool on stdio with the official SDK, version 1.
 * @module bench/hello/official-v1
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "hello", version: "1.0.0" });
server.registerTool("hello", { inputSchema: { name: z.string() } }, ({ name }) => ({
  content: [{ type: "text", text: `Hello, ${name}` }],
}));

await server.connect(new StdioServerTransport());
