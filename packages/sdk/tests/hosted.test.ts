import { expect, test } from "vitest";
import { type Change, Server } from "tenon";
import { Connection } from "tenon/host";
import { createClient } from "tenon/testing";
import { McpServer } from "../src/v1/mcp-server.js";
import { checkRepliesOf } from "../../../tests/support/check-every-reply.js";
import { DropInServer } from "../src/server/drop-in-server.js";

checkRepliesOf(DropInServer);

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

function createServer(): McpServer {
  return new McpServer({ name: "hosted", version: "1.0.0", title: "Hosted" });
}

test("build() returns the same live server each time, and it is a core Server", async () => {
  const mcp = createServer();
  const hosted = mcp.build();
  expect(mcp.build()).toBe(hosted);
  expect(hosted).toBeInstanceOf(Server);
  expect(hosted.info).toEqual({ name: "hosted", version: "1.0.0", title: "Hosted" });
  const client = await createClient(hosted);
  mcp.registerTool("late", {}, () => text("late"));
  expect((await client.callTool("late")).content).toEqual(text("late").content);
});

test("an McpServer can be hosted without build()", async () => {
  const mcp = createServer();
  mcp.registerTool("greet", {}, () => text("hello"));
  const client = await createClient(mcp);
  expect((await client.callTool("greet")).content).toEqual(text("hello").content);
});

test("a view reflects later registrations", async () => {
  const mcp = createServer();
  mcp.registerTool("before", {}, () => text("before"));
  const client = await createClient(mcp.build().view({}));
  mcp.registerTool("after", {}, () => text("after"));
  mcp.build().describe();
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["before", "after"]);
  expect((await client.callTool("after")).content).toEqual(text("after").content);
});

test("listeners are called on changes until they unsubscribe", () => {
  const mcp = createServer();
  const changes: Change[] = [];
  const unsubscribe = mcp.build().onChange((change) => changes.push(change));
  mcp.registerTool("a", {}, () => text("a"));
  mcp.sendPromptListChanged();
  void mcp.build().resourceUpdated("a://b");
  unsubscribe();
  mcp.registerTool("b", {}, () => text("b"));
  expect(changes).toEqual([{ kind: "tools" }, { kind: "prompts" }, { kind: "resource", uri: "a://b" }]);
});

test("JSON definitions and their handlers can be combined with registrations", async () => {
  const mcp = createServer();
  mcp.registerTool("own", {}, () => text("own"));
  const resource = { name: "page", uri: "docs://page" };
  mcp
    .build()
    .update((editor) =>
      editor
        .toolsJson(JSON.stringify([{ name: "declared", inputSchema: { type: "object" } }]))
        .resourcesJson(JSON.stringify([resource])),
    )
    .handleTool("declared", () => "declared")
    .handleResource("page", () => "page");
  const client = await createClient(mcp);
  expect((await client.listTools()).map(({ name }) => name).toSorted()).toEqual(["declared", "own"]);
  expect((await client.callTool("declared")).content).toEqual(text("declared").content);
  expect((await client.readResource("docs://page")).contents).toEqual([{ uri: "docs://page", text: "page" }]);
});

test("isConnected() is true while a connection is attached", () => {
  const mcp = createServer();
  const detach = mcp.build().attach(new Connection(), () => undefined);
  expect(mcp.isConnected()).toBe(true);
  detach();
  expect(mcp.isConnected()).toBe(false);
});
