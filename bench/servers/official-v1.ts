/**
 * @fileoverview The official SDK, version 1. Without sessions, it creates a server and a transport per request, as in
 * its documentation; with sessions, one of each per session. It responds with JSON, which costs less than a stream.
 * @module bench/servers/official-v1
 */
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Adapter, Setup } from "./contract.js";
import { listen } from "./node-http.js";
import { textTransport } from "./text-transport.js";
import { benchTools, INFO } from "./tools.js";

function v1Server({ tools }: Setup): McpServer {
  const server = new McpServer(INFO);
  for (const { name, description, input, run } of benchTools(tools)) {
    server.registerTool(name, { description, inputSchema: input.shape }, (args: Record<string, unknown>) => ({
      content: [{ type: "text", text: run(args) }],
    }));
  }
  return server;
}

/** Adapter of the official SDK, version 1. */
export const adapter: Adapter = {
  http(setup) {
    if (setup.mode === "modern")
      throw new Error("Version 1 of the official SDK does not support 2026-07-28.");
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    return listen(async (request, response) => {
      const known = sessions.get(String(request.headers["mcp-session-id"]));
      if (known !== undefined) {
        await known.handleRequest(request, response);
        return;
      }
      const transport =
        setup.mode === "session"
          ? new StreamableHTTPServerTransport({
              sessionIdGenerator: randomUUID,
              enableJsonResponse: true,
              onsessioninitialized: (id) => void sessions.set(id, transport),
            })
          : new StreamableHTTPServerTransport({ enableJsonResponse: true });
      const server = v1Server(setup);
      if (setup.mode === "stateless") response.on("close", () => void server.close());
      await server.connect(transport);
      await transport.handleRequest(request, response);
    });
  },
  stdio: (setup) => v1Server(setup).connect(new StdioServerTransport()),
  async inProcess(setup) {
    const { transport, answer } = textTransport();
    await v1Server(setup).connect(transport);
    return answer;
  },
};
