/**
 * @fileoverview The official SDK, version 2: `createMcpHandler` for both eras, its Node transport for sessions.
 * @module bench/servers/official-v2
 */
import { randomUUID } from "node:crypto";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { INITIALIZE } from "../lib/cases.js";
import type { Adapter, RawMessage, Setup } from "./contract.js";
import { listen } from "./node-http.js";
import { objectTransport, textTransport } from "./text-transport.js";
import { benchTools, INFO } from "./tools.js";

function v2Server({ tools }: Setup): McpServer {
  const server = new McpServer(INFO, { capabilities: { tools: {} } });
  for (const { name, description, input, run } of benchTools(tools)) {
    server.registerTool(name, { description, inputSchema: input }, (args) => ({
      content: [{ type: "text", text: run(args) }],
    }));
  }
  return server;
}

function serveSessions(setup: Setup): Promise<number> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  return listen(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) {
      await known.handleRequest(request, response);
      return;
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await v2Server(setup).connect(transport);
    await transport.handleRequest(request, response);
  });
}

/** Adapter of the official SDK, version 2. */
export const adapter: Adapter = {
  http(setup) {
    if (setup.mode === "session") return serveSessions(setup);
    const handler = toNodeHandler(createMcpHandler(() => v2Server(setup)));
    return listen((request, response) => void handler(request as Parameters<typeof handler>[0], response)); // differs only in an optional method
  },
  fetch(setup) {
    if (setup.mode === "session") throw new Error("`createMcpHandler` does not support sessions.");
    const { fetch } = createMcpHandler(() => v2Server(setup));
    // The handler's own second argument is not the bridge's.
    return (request) => fetch(request);
  },
  stdio(setup) {
    serveStdio(() => v2Server(setup));
  },
  async objects(setup) {
    const { transport, ask } = objectTransport();
    serveStdio(() => v2Server(setup), { transport: transport as unknown as Transport }); // both SDKs require this shape
    if (setup.mode !== "modern") await ask(JSON.parse(INITIALIZE) as RawMessage);
    return async (message) => ((await ask(message)) as { readonly result?: unknown }).result; // Safe: a response
  },
  inProcess(setup) {
    const { transport, answer } = textTransport();
    serveStdio(() => v2Server(setup), { transport: transport as unknown as Transport }); // both SDKs require this shape
    return answer;
  },
};
