/**
 * @fileoverview A server for tests over stdio. The first argument selects the package, and the second the options.
 * @module tests/sdk/support/v2/stdio-server
 */
import * as official from "@modelcontextprotocol/server";
import * as officialStdio from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import * as tenon from "../../../src/v2/index.js";

/** Creates the server with either package. */
export function createServer(sdk: typeof official, era: string): official.McpServer {
  const server = new sdk.McpServer(
    { name: "stdio", version: "1.0.0" },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  server.registerTool("era", {}, () => {
    // oxlint-disable-next-line no-console -- the test checks where it goes
    if (process.env["PRINT"] !== undefined) console.log("printed");
    return { content: [{ type: "text", text: era }] };
  });
  server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  server.registerTool("grow", {}, () => {
    server.registerTool("grown", {}, () => ({ content: [] }));
    return { content: [{ type: "text", text: "grown" }] };
  });
  server.registerTool("touch", {}, async () => {
    await server.server.sendResourceUpdated({ uri: "a://b" });
    return { content: [] };
  });
  server.registerTool("ask", {}, ({ mcpReq }) =>
    mcpReq.inputResponses === undefined
      ? sdk.inputRequired({ inputRequests: { r: sdk.inputRequired.listRoots() } })
      : { content: [{ type: "text", text: JSON.stringify(mcpReq.inputResponses["r"]) }] },
  );
  server.registerTool("wait", {}, async ({ mcpReq: { signal } }) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    return { content: [] };
  });
  server.registerResource("r", "a://b", {}, (uri) => ({ contents: [{ uri: uri.href, text: "read" }] }));
  return server;
}

if (process.argv[2] !== undefined) {
  const [, , name, options = "{}"] = process.argv;
  const { serveStdio } = name === "tenon" ? (tenon as unknown as typeof officialStdio) : officialStdio;
  const sdk = name === "tenon" ? ({ ...official, ...tenon } as unknown as typeof official) : official;
  serveStdio(({ era }) => createServer(sdk, era), JSON.parse(options) as officialStdio.ServeStdioOptions);
}
