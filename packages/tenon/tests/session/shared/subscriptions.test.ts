import { describe, expect, test } from "vitest";
import { createMemoryStore } from "tenon/stores";
import { createRandom } from "../../../../../tools/random.js";
import { readEvents } from "../../../../../tests/support/http-events.js";
import { read } from "../../../../../tests/support/http-faces.js";
import { type LegacyClient, openSession } from "../../../../../tests/support/http-messages.js";
import { createSlowStore, moveTo, startNode, type TestNode } from "../../support/session/shared/nodes.js";

const SEEDS = Array.from({ length: 3 }, (_, seed) => seed);
const URIS = Array.from({ length: 20 }, (_, at) => `test://item/${at}`);

/** Starts nodes whose store is slow, so that requests overlap in many ways. */
async function startSlowNodes(count: number, seed: number): Promise<readonly TestNode[]> {
  const random = createRandom(seed);
  const store = createMemoryStore();
  const starts = Array.from({ length: count }, () =>
    startNode({ store: createSlowStore(store, () => random.between(0, 5)) }),
  );
  return Promise.all(starts);
}

/** Sends a request for each URI at once, each to the next node. */
async function sendAll(
  nodes: readonly TestNode[],
  client: LegacyClient,
  method: string,
  uris: readonly string[],
): Promise<void> {
  const sent = uris.map(async (uri, at) => {
    const node = nodes[at % nodes.length] as TestNode;
    const body = { jsonrpc: "2.0", id: `${method} ${uri}`, method, params: { uri } };
    expect(await read(await moveTo(node, client).post(body))).toMatchObject({ body: { result: {} } });
  });
  await Promise.all(sent);
}

/** Updates every URI, and returns those that the client was told about before the last one. */
async function updatesOf(nodes: readonly TestNode[], stream: ReturnType<typeof readEvents>) {
  const [first] = nodes as readonly [TestNode];
  for (const uri of URIS) void first.server.resourceUpdated(uri);
  void first.server.resourceUpdated("test://note");
  const told: string[] = [];
  for (;;) {
    const { params } = (await stream.message()) as { readonly params: { readonly uri: string } };
    if (params.uri === "test://note") return told;
    told.push(params.uri);
  }
}

describe.each([1, 3])("subscriptions of a session on %i nodes", (count) => {
  test.each(SEEDS)("that are made at the same time are all kept (seed %i)", async (seed) => {
    const nodes = await startSlowNodes(count, seed);
    const client = await openSession((nodes[0] as TestNode).endpoint);
    const stream = readEvents(await client.get());
    await sendAll(nodes, client, "resources/subscribe", [...URIS, "test://note"]);
    expect(await updatesOf(nodes, stream)).toEqual(URIS);
  });

  test.each(SEEDS)("that are removed while others are made stay removed (seed %i)", async (seed) => {
    const nodes = await startSlowNodes(count, seed);
    const client = await openSession((nodes[0] as TestNode).endpoint);
    const stream = readEvents(await client.get());
    const [removed, added] = [URIS.slice(0, 10), URIS.slice(10)];
    await sendAll(nodes, client, "resources/subscribe", [...removed, "test://note"]);
    await Promise.all([
      sendAll(nodes, client, "resources/unsubscribe", removed),
      sendAll(nodes, client, "resources/subscribe", added),
    ]);
    expect(await updatesOf(nodes, stream)).toEqual(added);
  });

  test.each(SEEDS)("that are made while the stream connects are all kept (seed %i)", async (seed) => {
    const nodes = await startSlowNodes(count, seed);
    const client = await openSession((nodes[0] as TestNode).endpoint);
    const [response] = await Promise.all([
      client.get(),
      sendAll(nodes, client, "resources/subscribe", [...URIS, "test://note"]),
    ]);
    expect(await updatesOf(nodes, readEvents(response))).toEqual(URIS);
  });
});
