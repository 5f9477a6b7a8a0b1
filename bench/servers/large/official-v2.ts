/**
 * @fileoverview The official SDK, version 2, with large results.
 * @module bench/servers/large/official-v2
 */
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import type { Adapter } from "../contract.js";
import { listen } from "../node-http.js";
import { INFO } from "../tools.js";
import { IMAGE_TYPE, LARGE_INPUT as inputSchema, largeTools, RECORDS } from "./tools.js";

const tools = largeTools();

function v2Server(): McpServer {
  const server = new McpServer(INFO, { capabilities: { tools: {} } });
  for (const tool of tools) {
    const { name, description } = tool;
    if (tool.kind === "text") {
      server.registerTool(name, { description, inputSchema }, () => ({
        content: [{ type: "text", text: tool.text }],
      }));
    } else if (tool.kind === "image") {
      server.registerTool(name, { description, inputSchema }, () => ({
        content: [{ type: "image", data: tool.data, mimeType: IMAGE_TYPE }],
      }));
    } else {
      const structuredContent = tool.value as ReturnType<typeof RECORDS.parse>; // Safe: the tools are written for this schema
      server.registerTool(name, { description, inputSchema, outputSchema: RECORDS }, () => ({
        content: [{ type: "text", text: JSON.stringify(structuredContent) }],
        structuredContent,
      }));
    }
  }
  return server;
}

/** Adapter of the official SDK, version 2. */
export const adapter: Adapter = {
  http() {
    const handler = toNodeHandler(createMcpHandler(() => v2Server()));
    return listen((request, response) => void handler(request as Parameters<typeof handler>[0], response)); // differs only in an optional method
  },
};
