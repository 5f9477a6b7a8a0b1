/**
 * @fileoverview A user's module that uses the drop-ins beside the official SDK, with Zod 3. It must compile with the
 * official SDK's types, and it prints a tool's response when it runs.
 * @module tests/support/packages/sdk-consumer
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { McpServer as OfficialV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { McpServer as OfficialV2 } from "@modelcontextprotocol/server";
import { McpServer } from "@tenon/sdk";
import { McpServer as McpServerV2 } from "@tenon/sdk/v2";
import { z } from "zod";

/** Library function that was written for the official class. */
export function install(server: OfficialV1): void {
  server.registerTool("greet", { inputSchema: { name: z.string() } }, ({ name }) => ({
    content: [{ type: "text", text: `Hello, ${name}!` }],
  }));
}

export const server = new McpServer({ name: "consumer", version: "1.0.0" }, { exposeErrors: false });
export const second: OfficialV2 = new McpServerV2({ name: "consumer", version: "1.0.0" });

install(server);
server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => ({ uri: params.uri }));

const [near, far] = InMemoryTransport.createLinkedPair();
await server.connect(far);
const client = new Client({ name: "client", version: "1.0.0" });
await client.connect(near);
process.stdout.write(
  `${JSON.stringify(await client.callTool({ name: "greet", arguments: { name: "Ada" } }))}\n`,
);
await client.close();
