/**
 * @fileoverview mcp-lite, a fetch-first framework for 2025-06-18.
 * @module bench/servers/mcp-lite
 */
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import type { Adapter, Setup } from "./contract.js";
import { lightBridge } from "./light-bridge.js";
import { listen } from "./node-http.js";
import { benchTools, INFO } from "./tools.js";

/** Handles a message in-process. A request always gets a response. */
type Dispatch = (message: unknown) => Promise<{ readonly result?: unknown }>;

function liteServer(setup: Setup): McpServer {
  const server = new McpServer({
    ...INFO,
    schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType),
  });
  for (const { name, description, input, run } of benchTools(setup.tools)) {
    server.tool(name, {
      description,
      inputSchema: input,
      handler: (args) => ({ content: [{ type: "text", text: run(args) }] }),
    });
  }
  return server;
}

/** Creates the server as a fetch function. */
export function liteHandler(setup: Setup): (request: Request) => Promise<Response> {
  const transport = new StreamableHttpTransport(
    setup.mode === "session"
      ? { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) }
      : {},
  );
  return transport.bind(liteServer(setup));
}

/** Adapter of mcp-lite. */
export const adapter: Adapter = {
  http(setup) {
    return listen(lightBridge(liteHandler(setup)));
  },
  fetch: liteHandler,
  objects(setup) {
    const server = liteServer(setup);
    const dispatch = server._dispatch.bind(server) as Dispatch; // Safe: the benchmark sends only requests
    return async (message) => (await dispatch(message)).result;
  },
  inProcess(setup) {
    const server = liteServer(setup);
    const dispatch = server._dispatch.bind(server) as Dispatch; // Safe: the benchmark sends only requests
    return async (text) => JSON.stringify(await dispatch(JSON.parse(text)));
  },
};
