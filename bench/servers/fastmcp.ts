/**
 * @fileoverview FastMCP for TypeScript, a framework on top of the official SDK, version 1.
 * @module bench/servers/fastmcp
 */
import { type AddressInfo, createServer } from "node:net";
import { FastMCP } from "fastmcp";
import type { Adapter, Setup } from "./contract.js";
import { benchTools, INFO } from "./tools.js";

function fastServer({ tools }: Setup): FastMCP {
  const server = new FastMCP(INFO);
  for (const { name, description, input, run } of benchTools(tools)) {
    server.addTool({
      name,
      description,
      parameters: input,
      execute: (args) => Promise.resolve(run(args)),
    });
  }
  return server;
}

/** Finds a free port, because FastMCP requires a port number. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** Adapter of FastMCP. */
export const adapter: Adapter = {
  async http(setup) {
    const port = await freePort();
    await fastServer(setup).start({
      transportType: "httpStream",
      httpStream: {
        port,
        host: "127.0.0.1",
        endpoint: "/mcp",
        enableJsonResponse: true,
        stateless: setup.mode === "stateless",
      },
    });
    return port;
  },
  stdio: (setup) => fastServer(setup).start({ transportType: "stdio" }),
};
