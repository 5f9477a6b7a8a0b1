/**
 * @fileoverview tmcp, a fetch-first framework for both eras.
 * @module bench/servers/tmcp
 */
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { HttpTransport } from "@tmcp/transport-http";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import type { Adapter, Setup } from "./contract.js";
import { lightBridge } from "./light-bridge.js";
import { type FetchFunction, listen } from "./node-http.js";
import { benchTools, INFO } from "./tools.js";

function tmcpServer(setup: Setup) {
  const server = new McpServer(INFO, { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } });
  for (const { name, description, input, run } of benchTools(setup.tools)) {
    server.tool({ name, description, schema: input }, (args: Record<string, unknown>) => ({
      content: [{ type: "text" as const, text: run(args) }],
    }));
  }
  return server;
}

function tmcpFetch(setup: Setup): FetchFunction {
  const transport = new HttpTransport(tmcpServer(setup), { path: "/mcp" });
  return async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 });
}

/** Adapter of tmcp. */
export const adapter: Adapter = {
  http: (setup) => listen(lightBridge(tmcpFetch(setup))),
  fetch: tmcpFetch,
  objects(setup) {
    const server = tmcpServer(setup);
    return async (message) => {
      const response = await server.receive(message as Parameters<typeof server.receive>[0], {
        sessionId: "bench",
      });
      return (response as { readonly result?: unknown } | null)?.result; // Safe: a JSON-RPC response
    };
  },
  stdio(setup) {
    new StdioTransport(tmcpServer(setup)).listen();
  },
  inProcess(setup) {
    const server = tmcpServer(setup);
    return async (text) =>
      JSON.stringify(
        await server.receive(JSON.parse(text) as Parameters<typeof server.receive>[0], {
          sessionId: "bench",
        }),
      );
  },
};
