/**
 * @fileoverview One tool over HTTP with the official SDK, version 2.
 * @module bench/hello/http/official-v2
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: "hello", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.registerTool("hello", { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
      content: [{ type: "text", text: `Hello, ${name}` }],
    }));
    return server;
  }),
);
const server = createServer(
  (request, response) => void handler(request as Parameters<typeof handler>[0], response), // differs only in an optional method
);
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
