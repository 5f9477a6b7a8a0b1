/**
 * @fileoverview Program with a server of tmcp.
 * @module tests/cli/support/page/servers/tmcp-stdio
 */
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import { z } from "zod";

const server = new McpServer(
  { name: "tmcp", version: "1.0.0" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool(
  { name: "add", description: "Adds two numbers", schema: z.object({ a: z.number(), b: z.number() }) },
  ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
);

new StdioTransport(server).listen();
