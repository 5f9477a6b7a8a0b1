import { randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { StdioServerTransport as Stdio2 } from "@modelcontextprotocol/server/stdio";
import express from "express";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import type { JsonObject } from "@tenon/internal/json";
import { connect, type SdkConnection } from "@tenon/sdk";
import type { OfficialClient } from "../../../tools/official-clients/official-client.js";
import { connectV1 } from "../../../tools/official-clients/v1-client.js";
import { connectV2 } from "../../../tools/official-clients/v2-client.js";
import { clientOn } from "../../../tests/support/contract/transport-client.js";
import { describeTransport } from "../../../tests/support/contract/transport-contract.js";
import { createContractServer, NEWS } from "../../../tests/support/contract/transport-server.js";
import { listenOn } from "./support/mounted-apps.js";

describeTransport(
  "a linked pair of the SDK",
  clientOn(async (_revision, take) => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    near.onmessage = (message) => take(message);
    const connection = await connect(createContractServer(), far);
    return {
      cancelsByLeaving: false,
      send: (message) => near.send(message as never),
      close: () => connection.close(),
    };
  }),
);

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

interface Pair {
  readonly client: OfficialClient;
  readonly connection: SdkConnection;
}

/** Every paired SDK transport, with a client at the other end. */
const PAIRS: Readonly<Record<string, () => Promise<Pair>>> = {
  async "InMemoryTransport of version 1, its client"() {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const connection = await connect(createContractServer(), far);
    return { connection, client: await connectV1(near) };
  },
  async "InMemoryTransport of version 2, its client"() {
    const [near, far] = Memory2.createLinkedPair();
    const connection = await connect(createContractServer(), far);
    return { connection, client: await connectV2("unset", near) };
  },
  async "InMemoryTransport of version 2, its client in the stateless revision"() {
    const [near, far] = Memory2.createLinkedPair();
    const connection = await connect(createContractServer(), far);
    return { connection, client: await connectV2("auto", near) };
  },
  async "StdioServerTransport of version 1, its client"() {
    const [up, down] = [new PassThrough(), new PassThrough()];
    const connection = await connect(createContractServer(), new StdioServerTransport(up, down));
    return { connection, client: await connectV1(new StdioServerTransport(down, up)) };
  },
  async "StdioServerTransport of version 2, its client"() {
    const [up, down] = [new PassThrough(), new PassThrough()];
    const connection = await connect(createContractServer(), new Stdio2(up, down));
    return { connection, client: await connectV2("unset", new Stdio2(down, up)) };
  },
  async "StreamableHTTPServerTransport of version 1 in Express, its client"() {
    const { url, connections } = await serveStreamable();
    const client = await connectV1(new StreamableHTTPClientTransport(url));
    const [connection] = connections;
    if (connection === undefined) throw new Error("no client connected");
    return { connection, client };
  },
};

/** The official recipe for sessions, with a Tenon server in place of the SDK's. */
async function serveStreamable(makeServer = createContractServer) {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const connections: SdkConnection[] = [];
  const app = express();
  app.use(express.json());
  const handle = async (request: express.Request, response: express.Response) => {
    const id = request.header("mcp-session-id");
    let transport = id === undefined ? undefined : transports.get(id);
    if (transport === undefined && isInitializeRequest(request.body)) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => void transports.set(session, opened),
      });
      connections.push(await connect(makeServer(), opened));
      transport = opened;
    }
    const token = request.header("authorization");
    const auth = token === undefined ? {} : { auth: { token, clientId: "ada", scopes: ["write"] } };
    await transport?.handleRequest(Object.assign(request, auth), response, request.body);
  };
  app.all("/mcp", (request, response) => void handle(request, response));
  const { origin, close } = await listenOn(app);
  stops.push(close);
  return { url: new URL(`${origin}/mcp`), connections };
}

describe.each(Object.entries(PAIRS))("Z12: a Tenon server on %s", (name, open) => {
  const isStateless = name.includes("stateless");

  async function opened() {
    const pair = await open();
    stops.push(() => pair.client.close());
    const textOf = async (tool: string, args = {}, options = {}) => {
      const { content } = await pair.client.callTool(tool, args, options);
      return (content as readonly [{ readonly text: string }])[0].text;
    };
    return { ...pair, textOf };
  }

  test("tools respond, ask the client, and report progress", async () => {
    const { client, textOf } = await opened();
    expect(client.revision).toBe(isStateless ? "2026-07-28" : "2025-11-25");
    await client.toolPages();
    expect(await client.callTool("add", { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } });
    expect(await textOf("ask")).toBe("Hello, Ada");
    expect(JSON.parse(await textOf("think"))).toMatchObject({ model: "parrot" });
    const steps: unknown[] = [];
    await textOf("count", {}, { onprogress: (step: unknown) => steps.push(step) });
    expect(steps).toHaveLength(3);
    expect(client.errors).toEqual([]);
  });

  test("changes are notified", async () => {
    const { client, textOf } = await opened();
    await client.watch(NEWS);
    await textOf("touch", { uri: NEWS });
    await textOf("grow");
    const heard = () => client.notifications.map(({ method }) => method);
    await vi.waitFor(() => {
      expect(heard()).toContain("notifications/resources/updated");
      expect(heard()).toContain("notifications/tools/list_changed");
    });
    expect(await textOf("grown")).toBe("here I am");
  });

  test("a cancelled call stops", async () => {
    const { client, textOf } = await opened();
    const controller = new AbortController();
    const options = { signal: controller.signal, onprogress: () => controller.abort() };
    await expect(client.callTool("wait", { text: "given up" }, options)).rejects.toThrow();
    expect(await textOf("aborted", { count: 1 })).toBe("given up");
  });

  test("the server can close the connection", async () => {
    const { client, connection } = await opened();
    await connection.close();
    await connection.close();
    await expect(
      client.callTool("echo", { text: "?" }, { signal: AbortSignal.timeout(200) }),
    ).rejects.toThrow();
  });
});

describe("Z12: a connection", () => {
  const waiting = (signals: AbortSignal[]) =>
    defineServer({ name: "waiting", version: "1.0.0" })
      .tool("wait", {
        input: z.object({}),
        handler: async (_, call) => {
          signals.push(call.signal);
          await call.progress(0);
          return new Promise<string>((_resolve, reject) => {
            call.signal.addEventListener("abort", () => reject(call.signal.reason));
          });
        },
      })
      .build();

  test("closed by the client cancels its calls and still calls earlier listeners", async () => {
    const signals: AbortSignal[] = [];
    const [near, far] = InMemoryTransport.createLinkedPair();
    const heard: string[] = [];
    far.onclose = () => void heard.push("closed");
    await connect(waiting(signals), far);
    const client = await connectV1(near);
    const begun = new Promise<void>((resolve) => {
      client.callTool("wait", {}, { onprogress: () => resolve() }).catch(() => undefined);
    });
    await begun;
    await client.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(heard).toEqual(["closed"]);
  });

  test("closed by the server cancels its calls and closes the client", async () => {
    const signals: AbortSignal[] = [];
    const [near, far] = Memory2.createLinkedPair();
    const connection = await connect(waiting(signals), far);
    const client = await connectV2("unset", near);
    const call = client.callTool("wait", {}, { onprogress: () => void connection.close() });
    await expect(call).rejects.toThrow(/closed/i);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("reports messages that cannot be sent, and continues", async () => {
    const errors: unknown[] = [];
    const sent: JsonObject[] = [];
    const transport = {
      start: async () => {},
      close: async () => {},
      onmessage: undefined as ((message: never) => void) | undefined,
      async send(message: unknown) {
        if (sent.length === 0) {
          sent.push({});
          throw new Error("the transport is broken");
        }
        sent.push(message as JsonObject);
      },
    };
    await connect(createContractServer(), transport, { onError: (error) => errors.push(error) });
    const ping = (id: number) => transport.onmessage?.({ jsonrpc: "2.0", id, method: "ping" } as never);
    ping(1);
    ping(2);
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    expect(errors).toEqual([new Error("the transport is broken")]);
    expect(sent[1]).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });

  test("has its caller and the application's context", async () => {
    const server = defineServer<{ readonly tenant: string }>({ name: "who", version: "1.0.0" })
      .tool("who", {
        input: z.object({}),
        handler: (_, call) => JSON.stringify({ auth: call.auth, context: call.context }),
      })
      .build();
    const [near, far] = InMemoryTransport.createLinkedPair();
    const authInfo = { token: "secret", clientId: "ada", scopes: ["read"] };
    const send = near.send.bind(near);
    near.send = (message) => send(message, { authInfo });
    await connect(server, far, { context: { tenant: "blue" } });
    const client = await connectV1(near);
    expect(await client.callTool("who")).toMatchObject({
      content: [{ text: '{"auth":{"principal":"ada","scopes":["read"]},"context":{"tenant":"blue"}}' }],
    });
    await client.close();
  });

  test("over HTTP has the caller that the SDK's middleware authenticated", async () => {
    const { url } = await serveStreamable(() =>
      defineServer({ name: "who", version: "1.0.0" })
        .tool("who", { input: z.object({}), handler: (_, call) => JSON.stringify(call.auth) })
        .build(),
    );
    const requestInit = { headers: { authorization: "Bearer secret" } };
    const client = await connectV1(new StreamableHTTPClientTransport(url, { requestInit }));
    stops.push(() => client.close());
    expect(await client.callTool("who")).toMatchObject({
      content: [{ text: '{"principal":"ada","scopes":["write"]}' }],
    });
  });

  test("over HTTP sends a call's messages on that call's stream", async () => {
    const { url } = await serveStreamable();
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const post = (message: JsonObject) =>
      fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
    const capabilities = { elicitation: {} };
    const opened = await post({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw", version: "1" } },
    });
    await opened.text();
    headers["mcp-session-id"] = opened.headers.get("mcp-session-id") ?? "";
    await post({ method: "notifications/initialized" });
    // Nothing reads the session's own stream, so messages outside the call's stream would be lost.
    const counted = await post({
      id: 1,
      method: "tools/call",
      params: { name: "count", arguments: {}, _meta: { progressToken: "p" } },
    });
    const text = await counted.text();
    expect(text.match(/notifications\/progress/g)).toHaveLength(3);
    expect(text).toContain('"id":1');
    const asked = await post({ id: 2, method: "tools/call", params: { name: "ask", arguments: {} } });
    const reader = asked.body?.pipeThrough(new TextDecoderStream()).getReader();
    const question = (await reader?.read())?.value ?? "";
    const [, id = ""] = /"id":"([^"]+)"/.exec(question) ?? [];
    expect(question).toContain("elicitation/create");
    await post({ id, result: { action: "accept", content: { name: "Ada" } } });
    expect((await reader?.read())?.value).toContain("Hello, Ada");
  });
});
