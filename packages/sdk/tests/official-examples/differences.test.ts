import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { expect, test } from "vitest";
import { type Official, ours, theirs } from "../support/both-sides.js";

/** Calls a tool that logs, on a server without sessions and GET streams. Returns the log messages that arrive. */
async function callStateless(create: () => Official): Promise<readonly unknown[]> {
  const http = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const server = create();
    server.registerTool("log", {}, async () => {
      await server.sendLoggingMessage({ level: "info", data: "working" });
      return { content: [] };
    });
    const transport = new StreamableHTTPServerTransport({});
    void server.connect(transport).then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const client = new Client({ name: "client", version: "1.0.0" });
  const received: unknown[] = [];
  client.fallbackNotificationHandler = async ({ params }) => void received.push(params);
  const { port } = http.address() as AddressInfo;
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  await client.callTool({ name: "log" });
  await client.close();
  http.close();
  http.closeAllConnections();
  return received;
}

test("D18: log messages of a call reach a client without a GET stream, and are lost on the official server", async () => {
  const options = { capabilities: { logging: {} } };
  expect(await callStateless(() => theirs(options))).toEqual([]);
  expect(await callStateless(() => ours(options))).toEqual([{ level: "info", data: "working" }]);
});
