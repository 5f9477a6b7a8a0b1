/**
 * @fileoverview One tool on stdio with tmcp.
 * @module bench/hello/tmcp
 */
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import { z } from "zod";

const server = new McpServer(
  { name: "hello", version: "1.0.0" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool({ name: "hello", description: "", schema: z.object({ name: z.string() }) }, ({ name }) => ({
  content: [{ type: "text", text: `Hello, ${name}` }],
}));

new StdioTransport(server).listen();
