import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client as Client2,
  InMemoryTransport as Memory2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { McpServer } from "../src/v1/mcp-server.js";
import { createClient } from "../../tenon/src/testing/index.js";
import { serve } from "../../tenon/src/transport/node/serve.js";
import { compileProgram } from "../../../tools/compile-program.js";
import { ROOT } from "../../../tools/source-files.js";
import { createFacade } from "./support/facade-server.js";
import { checkRepliesOf } from "../../../tests/support/check-every-reply.js";
import { DropInServer } from "../src/server/drop-in-server.js";

checkRepliesOf(DropInServer);

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const CAPABILITIES = { elicitation: { form: {} }, roots: {} };
const ANSWER = { action: "accept" as const, content: { name: "Ada" } };
const ROOTS = { roots: [{ uri: "file:///home" }] };

/** Connects the official client, version 1. */
async function connectV1(transport: object): Promise<Client> {
  const client = new Client({ name: "v1", version: "1.0.0" }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  await client.connect(transport as never); // its types distinguish absent from undefined
  stops.push(() => client.close());
  return client;
}

/** Connects the official client, version 2, in the stateless revision. */
async function connectV2(transport: object): Promise<Client2> {
  const client = new Client2(
    { name: "v2", version: "1.0.0" },
    { capabilities: CAPABILITIES, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", () => ANSWER);
  client.setRequestHandler("roots/list", () => ROOTS);
  await client.connect(transport as never); // as above
  stops.push(() => client.close());
  return client;
}

/** The members of both client versions that these tests use. */
type AnyClient = Pick<
  Client2,
  "callTool" | "listTools" | "readResource" | "listResources" | "getPrompt" | "getInstructions" | "complete"
>;

async function official(): Promise<URL> {
  const facade = createFacade();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await facade.connect(transport);
  const http = createServer((request, response) => {
    const authInfo = { token: "t", clientId: "ada", scopes: ["read"] };
    void transport.handleRequest(Object.assign(request, { auth: authInfo }), response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  stops.push(
    () => facade.close(),
    () => new Promise((resolve) => http.close(resolve)),
  );
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
}

async function served(): Promise<URL> {
  const running = await serve(createFacade().build(), {
    transport: { type: "http", port: 0 },
    signals: false,
  });
  stops.push(() => running.close());
  return new URL(running.url ?? "");
}

const TRANSPORTS: Readonly<Record<string, () => Promise<AnyClient>>> = {
  async "in-memory transport of the official SDK, version 1"() {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await createFacade().connect(far);
    return (await connectV1(near)) as unknown as AnyClient;
  },
  async "in-memory transport of the official SDK, version 2, in the stateless revision"() {
    const [near, far] = Memory2.createLinkedPair();
    await createFacade().connect(far);
    return connectV2(near);
  },
  async "a process on the official stdio transport, version 1"() {
    const args = [compileProgram(`${ROOT}/packages/sdk/tests/support/facade-server.ts`), "stdio"];
    return (await connectV1(
      new StdioClientTransport({ command: process.execPath, args, cwd: ROOT }),
    )) as unknown as AnyClient;
  },
  "the official Streamable HTTP transport, version 1": async () =>
    (await connectV1(new StreamableHTTPClientTransport(await official()))) as unknown as AnyClient,
  "Tenon's HTTP transport, version 1": async () =>
    (await connectV1(new StreamableHTTPClientTransport(await served()))) as unknown as AnyClient,
  "Tenon's HTTP transport, version 2, in the stateless revision": async () =>
    connectV2(new Http2(await served())),
};

describe.each(Object.entries(TRANSPORTS))("T6, T50: the facade over %s", (_name, connect) => {
  test("responds to every request", async () => {
    const client = await connect();
    expect(client.getInstructions()).toBe("Ask away.");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      "add",
      "greet",
      "fail",
      "whoami",
    ]);
    expect(await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ type: "text", text: "3" }],
      structuredContent: { sum: 3 },
    });
    expect(await client.callTool({ name: "greet" })).toMatchObject({
      content: [{ type: "text", text: "Hello, Ada of file:///home!" }],
    });
    expect(await client.callTool({ name: "fail" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "out of ink" }],
    });
    expect(await client.callTool({ name: "add", arguments: { a: "x" } })).toMatchObject({
      isError: true,
      content: [
        {
          type: "text",
          text:
            "MCP error -32602: Input validation error: Invalid arguments for tool add: " +
            "Invalid input: expected number, received string at a\nInvalid input: expected number, received undefined at b",
        },
      ],
    });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "docs://readme",
      "notes://1",
    ]);
    expect(await client.readResource({ uri: "notes://7" })).toMatchObject({
      contents: [{ uri: "notes://7", text: "note 7" }],
    });
    expect(await client.getPrompt({ name: "review", arguments: { code: "x" } })).toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "x" } }],
    });
    const ref = { type: "ref/resource" as const, uri: "notes://{id}" };
    expect(await client.complete({ ref, argument: { name: "id", value: "" } })).toMatchObject({
      completion: { values: ["1", "2"], total: 2, hasMore: false },
    });
  });
});

describe("the facade", () => {
  test("gives callbacks the caller and the request on the official HTTP transport", async () => {
    const client = await connectV1(new StreamableHTTPClientTransport(await official()));
    expect((await client.callTool({ name: "whoami" })).content).toEqual([
      { type: "text", text: '{"client":"ada","hasSession":true,"hasHeaders":true}' },
    ]);
  });

  test("D17: gives callbacks the caller on Tenon's transports", async () => {
    const client = await createClient(createFacade().build(), { auth: { principal: "grace", scopes: [] } });
    expect((await client.callTool("whoami")).content).toEqual([
      { type: "text", text: '{"client":"grace","hasSession":false,"hasHeaders":false}' },
    ]);
  });

  test("serves two clients at the same time, and asks the calling client", async () => {
    const url = await served();
    const clients = await Promise.all([1, 2].map(() => connectV1(new StreamableHTTPClientTransport(url))));
    clients[1]?.setRequestHandler(ElicitRequestSchema, () => ({
      action: "accept",
      content: { name: "Grace" },
    }));
    const said = await Promise.all(clients.map((client) => client.callTool({ name: "greet" })));
    expect(said.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "Hello, Ada of file:///home!" }],
      [{ type: "text", text: "Hello, Grace of file:///home!" }],
    ]);
  });

  test("runs custom methods in the stateless revision too, with the usual checks", async () => {
    const client = await createClient(createFacade().build(), { revision: "2026-07-28" });
    expect(await client.request("example/echo")).toMatchObject({ echoed: true, resultType: "complete" });
    const url = await served();
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const post = (method: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "example/echo", params: { _meta } }),
      });
    expect((await post("example/echo")).status).toBe(200);
    expect(await (await post("tools/list")).json()).toMatchObject({ error: { code: -32020 } });
  });

  test("follows the stateless revision's rules for unknown names", async () => {
    const client = await createClient(createFacade().build(), { revision: "2026-07-28" });
    await expect(client.request("tools/call", { name: "nothing" })).rejects.toMatchObject({
      code: -32602,
      message: "Unknown tool: nothing",
    });
  });

  test("sends messages after the reply to the same client over its connection", async () => {
    const server = new McpServer({ name: "late", version: "1.0.0" }, { capabilities: { logging: {} } });
    server.registerTool("later", {}, ({ requestId }) => {
      setTimeout(() => void server.sendLoggingMessage({ level: "info", data: `after ${requestId}` }), 20);
      return { content: [] };
    });
    const heard: unknown[][] = [[], []];
    const clients = await Promise.all(
      heard.map((list) =>
        createClient(server.build(), { onNotification: ({ params }) => void list.push(params?.["data"]) }),
      ),
    );
    await clients[1]?.callTool("later");
    await vi.waitFor(() => expect(heard[1]).toEqual(["after 2"]));
    expect(heard[0]).toEqual([]);
  });

  test("starts a Tenon transport from its configuration, and closes it", async () => {
    const facade = createFacade();
    await facade.connect({ type: "http", port: 0 });
    await facade.close();
    expect(facade.isConnected()).toBe(false);
  });

  test("hides the messages of unexpected errors if configured", async () => {
    const server = new McpServer({ name: "quiet", version: "1.0.0" }, { exposeErrors: false });
    server.registerTool("fail", {}, () => {
      throw new Error("password is swordfish");
    });
    server.registerPrompt("fail", {}, () => {
      throw new Error("password is swordfish");
    });
    const client = await createClient(server.build());
    expect(await client.callTool("fail")).toEqual({
      content: [{ type: "text", text: "Tool fail failed" }],
      isError: true,
    });
    await expect(client.getPrompt("fail")).rejects.toThrow(/^Internal error$/);
  });
});
