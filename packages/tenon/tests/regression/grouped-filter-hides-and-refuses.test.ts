import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { expect, test } from "vitest";
import { createTool, ToolRegistry } from "../../src/grouped/index.js";

// A filter that only shortens the list would be a security hole: a caller that knows the name of a hidden tool could
// still call it.
test("F17: a tool hidden by a filter cannot be called", async () => {
  const ran: string[] = [];
  const tool = (name: string, tag: string) =>
    createTool(name)
      .tags(tag)
      .action({ name: "run", handler: () => void ran.push(name) });
  const registry = new ToolRegistry().registerAll(tool("public", "open"), tool("admin", "secret"));
  const filter = { exclude: ["secret"] };
  const refused = [{ type: "text", text: 'Unknown tool: "admin". Available tools: public' }];

  expect(await registry.routeCall(undefined, "admin", { action: "run" }, filter)).toEqual({
    content: refused,
    isError: true,
  });

  const server = new Server({ name: "s", version: "1" });
  registry.attachToServer(server, { filter });
  const client = new Client({ name: "c", version: "1" });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["public"]);
  expect(await client.callTool({ name: "admin", arguments: { action: "run" } })).toMatchObject({
    content: refused,
    isError: true,
  });
  await client.close();
  expect(ran).toEqual([]);
});
