/**
 * @fileoverview One tool on stdio with the official SDK, version 2.
 * @module bench/hello/official-v2
 */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "hello", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.registerTool("hello", { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    content: [{ type: "text", text: `Hello, ${name}` }],
  }));
  return server;
});
