import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as Official } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createClient } from "tenon/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { checkRepliesOf } from "../../../tests/support/check-every-reply.js";
import { serve } from "../../tenon/src/transport/node/serve.js";
import { Server } from "../src/index.js";
import { DropInServer } from "../src/server/drop-in-server.js";
import { outcomeOf } from "./support/both-sides.js";

checkRepliesOf(DropInServer);

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const INFO = { name: "low", version: "1.0.0" };
const ANY = z.looseObject({});
const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

function createServer() {
  const server = new Server(INFO, {
    capabilities: { tools: { listChanged: true }, resources: {}, tasks: {} },
    instructions: "Low.",
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      { name: "echo", inputSchema: { type: "object" } },
      { name: "ask", inputSchema: { type: "object" } },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({
    contents: [{ uri: params.uri, text: "read" }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    if (params.name === "echo") return text(JSON.stringify(params.arguments));
    const requestedSchema = { type: "object" as const, properties: {} };
    const { action } = await server.elicitInput({ message: "?", requestedSchema });
    return text(`${action} ${String(extra.authInfo?.clientId)}`);
  });
  return server;
}

async function listen(): Promise<{ readonly url: URL; readonly server: Server }> {
  const server = createServer();
  const running = await serve(server, { transport: { type: "http", port: 0 }, signals: false });
  stops.push(() => running.close());
  return { url: new URL(running.url ?? ""), server };
}

async function connect(url: URL, action: "accept" | "decline"): Promise<Client> {
  const client = new Client({ name: action, version: "1" }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action }));
  await client.connect(new StreamableHTTPClientTransport(url));
  stops.push(() => client.close());
  return client;
}

describe("the low-level Server on Tenon's transports", () => {
  test("serves several clients, and asks the one that called", async () => {
    const { url, server } = await listen();
    const clients = [await connect(url, "accept"), await connect(url, "decline")] as const;
    const results = await Promise.all(clients.map((client) => client.callTool({ name: "ask" })));
    expect(results).toEqual([text("accept undefined"), text("decline undefined")]);
    expect(clients[0].getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      resources: {},
      tasks: {},
    });
    expect(clients[0].getInstructions()).toBe("Low.");
    await expect(clients[0].listPrompts()).rejects.toMatchObject({ code: -32601 });
    const heard: string[] = [];
    for (const client of clients) {
      client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
    }
    await server.sendToolListChanged();
    const changed = "notifications/tools/list_changed";
    await vi.waitFor(() => expect(heard).toEqual([changed, changed]));
  });

  test("serves the stateless revision", async () => {
    const { url } = await listen();
    const client = new Client2(
      { name: "v2", version: "1.0.0" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    client.setRequestHandler("elicitation/create", () => ({ action: "accept" }));
    await client.connect(new Http2(url));
    stops.push(() => client.close());
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, resources: {} });
    expect(await client.listTools()).toMatchObject({ ttlMs: 0, cacheScope: "private", tools: [{}, {}] });
    expect(await client.callTool({ name: "echo", arguments: { a: 1 } })).toMatchObject(text('{"a":1}'));
    expect(await client.readResource({ uri: "a://b" })).toMatchObject({ contents: [{ text: "read" }] });
    // Requests for input need a callback that can run again, which the core has only for registered tools.
    await expect(client.callTool({ name: "ask", arguments: {} })).rejects.toThrow(
      '"tools/call" cannot send "elicitation/create" to the client. ' +
        "In this protocol version, only tool, resource, and prompt callbacks can send requests.",
    );
  });

  test("can be passed to createClient", async () => {
    const client = await createClient(createServer());
    expect((await client.callTool("echo", { b: 2 })).content).toEqual(text('{"b":2}').content);
  });

  test("build() returns the same server each time", () => {
    const server = createServer();
    expect(server.build()).toBe(server.build());
    expect(server.build().info).toEqual(INFO);
  });
});

describe("intended differences from the official low-level server", () => {
  const pair = () => [new Official(INFO, FULL), new Server(INFO, FULL) as Official] as const;
  const FULL = { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} } };

  async function connectTo(server: Official): Promise<Client> {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    const client = new Client({ name: "c", version: "1" });
    await client.connect(near);
    return client;
  }

  test("D37: parameters that do not match the schema are rejected with -32602", async () => {
    const outcomes: unknown[] = [];
    for (const server of pair()) {
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
      const client = await connectTo(server);
      outcomes.push(await outcomeOf(client.request({ method: "tools/list", params: { cursor: 5 } }, ANY)));
    }
    expect(outcomes).toMatchObject([{ refused: { code: -32603 } }, { refused: { code: -32602 } }]);
  });

  test("D38: list changes without a client are ignored", async () => {
    const outcomes = await Promise.all(pair().map((server) => outcomeOf(server.sendToolListChanged())));
    expect(outcomes).toMatchObject([{ refused: { message: "Not connected" } }, {}]);
    expect(outcomes[1]).not.toHaveProperty("refused");
  });

  test("D40: a result that is not an object is an error", async () => {
    const received: unknown[] = [];
    for (const server of pair()) {
      server.setRequestHandler(ListToolsRequestSchema, () => [{ name: "a" }] as never);
      const [near, far] = InMemoryTransport.createLinkedPair();
      near.onmessage = (message) => void received.push(message);
      await server.connect(far);
      await near.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    }
    await vi.waitFor(() => expect(received).toHaveLength(2));
    const message = 'The handler of "tools/list" returned an array. A result must be an object.';
    expect(received).toMatchObject([{ result: [{ name: "a" }] }, { error: { code: -32603, message } }]);
  });

  test("D10: accepts several transports", async () => {
    const outcomes: unknown[] = [];
    for (const server of pair()) {
      const [, first] = InMemoryTransport.createLinkedPair();
      const [, second] = InMemoryTransport.createLinkedPair();
      await server.connect(first);
      outcomes.push(await outcomeOf(server.connect(second)));
      await server.close();
    }
    expect(outcomes[0]).toMatchObject({ refused: {} });
    expect(outcomes[1]).not.toHaveProperty("refused");
  });

  test("D15: unknown options are rejected", () => {
    expect(() => new Official(INFO, { capability: {} } as never)).not.toThrow();
    expect(() => new Server(INFO, { capability: {} } as never)).toThrow("capabilities");
  });
});
