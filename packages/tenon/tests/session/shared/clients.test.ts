import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryStore } from "tenon/stores";
import { createRandom } from "../../../../../tools/random.js";
import { until } from "../../../../../tests/support/http-faces.js";
import {
  createSlowStore,
  rotate,
  startNode,
  startNodes,
  type TestNode,
} from "../../support/session/shared/nodes.js";

const ME = { name: "tests", version: "1.0.0" };

/** Connects the official client of the first generation. Each of its requests goes to the next node. */
const connect = async (nodes: readonly TestNode[]): Promise<Client> => {
  const endpoint = rotate(nodes);
  const client = new Client(ME, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: (_url, init) => endpoint.fetch(init ?? {}),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
};

describe("an official client whose requests rotate between nodes", () => {
  test("calls tools, reports progress, and answers questions", async () => {
    const client = await connect(await startNodes());
    for (let count = 0; count < 6; count++) {
      expect(await client.callTool({ name: "ask" })).toMatchObject({ content: [{ text: "Hello Ada" }] });
      expect(await client.callTool({ name: "count", arguments: { to: 3 } })).toMatchObject({
        content: [{ text: "done" }],
      });
    }
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
  });

  test("receives the changes of both nodes", async () => {
    const nodes = await startNodes();
    const client = await connect(nodes);
    const updates: string[] = [];
    let lists = 0;
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updates.push(params.uri),
    );
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void lists++);
    await client.subscribeResource({ uri: "test://note" });
    for (let count = 0; count < 10; count++)
      void nodes[count % 2 === 0 ? 0 : 1].server.resourceUpdated("test://note");
    void nodes[1].server.notifyListChanged("tools");
    await until(() => updates.length === 10 && lists === 1, "all changes");
    await client.unsubscribeResource({ uri: "test://note" });
    void nodes[0].server.resourceUpdated("test://note");
    void nodes[0].server.notifyListChanged("tools");
    await until(() => lists === 2, "the last change");
    expect(updates).toHaveLength(10);
  });

  test("loses no subscription that it makes right after it has connected", async () => {
    const random = createRandom(1);
    const store = createMemoryStore();
    // Some operations take long, so that the subscription is often stored while the stream is about to open.
    const start = () =>
      startNode({ store: createSlowStore(store, () => (random.between(0, 2) === 0 ? 80 : 0)) });
    const nodes = [await start(), await start(), await start()] as const;
    for (let round = 0; round < 30; round++) {
      const client = await connect(nodes);
      const updates: string[] = [];
      client.setNotificationHandler(
        ResourceUpdatedNotificationSchema,
        ({ params }) => void updates.push(params.uri),
      );
      // The client opens its stream without waiting for it.
      const uri = `test://item/${round}`;
      await client.subscribeResource({ uri });
      await nodes[0].server.resourceUpdated(uri);
      await until(() => updates.includes(uri), `the update of client ${round}`);
    }
  });

  test("cancels a call on the node that runs it", async () => {
    const nodes = await startNodes();
    const client = await connect(nodes);
    const abort = new AbortController();
    const call = client.callTool({ name: "quiet" }, undefined, { signal: abort.signal });
    await until(() => nodes[0].seen.started + nodes[1].seen.started === 1, "the call");
    abort.abort();
    await expect(call).rejects.toThrow();
    await until(() => nodes[0].seen.aborted + nodes[1].seen.aborted === 1, "the cancellation");
  });

  test("uses stateless requests in the second generation", async () => {
    const endpoint = rotate(await startNodes());
    const client = new ClientV2(ME, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
    await client.connect(
      new TransportV2(new URL("http://localhost/mcp"), { fetch: (_url, init) => endpoint.fetch(init ?? {}) }),
    );
    onTestFinished(() => client.close());
    for (let count = 0; count < 4; count++)
      expect(await client.callTool({ name: "ask" })).toMatchObject({ content: [{ text: "Hello Ada" }] });
  });
});
