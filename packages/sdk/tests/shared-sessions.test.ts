import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { McpServer } from "@tenon/sdk";
import { toFetch } from "tenon/fetch";
import { createMemoryStore } from "tenon/stores";
import { expect, onTestFinished, test, vi } from "vitest";

test("an McpServer on two nodes serves one session, and its messages reach the client", async () => {
  const store = createMemoryStore();
  const nodes = [1, 2].map((number) => {
    const mcp = new McpServer({ name: "facade", version: "1.0.0" }, { capabilities: { logging: {} } });
    mcp.registerTool("node", {}, () => ({ content: [{ type: "text", text: `node ${number}` }] }));
    mcp.registerResource("note", "test://note", {}, () => ({
      contents: [{ uri: "test://note", text: "note" }],
    }));
    const handler = toFetch(mcp.build(), { store });
    onTestFinished(() => handler.close(0));
    return { mcp, handler };
  });
  let turn = 0;
  const client = new Client({ name: "tests", version: "1.0.0" });
  const seen: string[] = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void seen.push("tools"));
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void seen.push(String(params.data)),
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
      fetch: (url, init) => {
        const node = nodes[turn++ % 2];
        if (node === undefined) throw new Error("Expected a node.");
        return node.handler(new Request(url, init));
      },
    }),
  );
  onTestFinished(() => client.close());
  const texts = new Set<string>();
  for (let count = 0; count < 4; count++) {
    const { content } = await client.callTool({ name: "node" });
    texts.add(JSON.stringify(content));
  }
  expect(texts.size).toBe(2);
  // Changes of both nodes reach the client.
  for (const { mcp } of nodes) mcp.sendToolListChanged();
  await vi.waitFor(() => expect(seen).toEqual(["tools", "tools"]));
  // Other messages are sent by the node that the client listens on.
  for (const { mcp } of nodes)
    await mcp.sendLoggingMessage({ level: "error", data: "logged" }).catch(() => undefined);
  await vi.waitFor(() => expect(seen.filter((one) => one === "logged")).toHaveLength(1));
});
