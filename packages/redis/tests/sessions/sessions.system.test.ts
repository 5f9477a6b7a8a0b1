import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  allEvents,
  allMessages,
  messagesOf,
  readEvents,
  type SseEvent,
} from "../../../../tests/support/http-events.js";
import { post, read } from "../../../../tests/support/http-faces.js";
import { initializeBody, type LegacyClient, openSession } from "../../../../tests/support/http-messages.js";
import { request } from "../../../../tests/support/requests.js";
import type { FaultProxy } from "../../../../tools/fault-proxy.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../../tools/redis-server.js";
import {
  logged,
  moveTo,
  rotate,
  startNode,
  type TestNode,
  text,
} from "../../../tenon/tests/support/session/shared/nodes.js";
import { noRedis, openProxiedStore } from "../support/fixture.js";

interface RedisNode extends TestNode {
  readonly proxy: FaultProxy;
}

const lastIdOf = (events: readonly SseEvent[]) => events.findLast(({ id }) => id !== undefined)?.id;
const counted = (to: number, id: string | number = 1) => [
  ...Array.from({ length: to }, (_, index) => logged(index + 1)),
  { jsonrpc: "2.0", id, result: text("done") },
];

describe.skipIf(noRedis !== undefined)("sessions on a real Redis", { timeout: 120_000 }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  }, REDIS_INSTALL_MS);
  afterAll(() => server.stop());

  /** Starts nodes with connections of their own to the same records. */
  const startNodes = async (count = 2): Promise<readonly [RedisNode, RedisNode, ...RedisNode[]]> => {
    const prefix = randomUUID();
    const start = async (): Promise<RedisNode> => {
      const { store, proxy } = await openProxiedStore(server, { prefix });
      return { ...(await startNode({ store })), proxy };
    };
    const others = await Promise.all(Array.from({ length: count - 2 }, start));
    return [await start(), await start(), ...others];
  };

  test("an official client works while its requests rotate between nodes", async () => {
    const nodes = await startNodes(3);
    const endpoint = rotate(nodes);
    const client = new Client({ name: "tests", version: "1.0.0" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
    const updates: string[] = [];
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updates.push(params.uri),
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
        fetch: (_url, init) => endpoint.fetch(init ?? {}),
      }),
    );
    onTestFinished(() => client.close());
    for (let count = 0; count < 6; count++)
      expect(await client.callTool({ name: "ask" })).toMatchObject({ content: [{ text: "Hello Ada" }] });
    await client.subscribeResource({ uri: "test://note" });
    for (let count = 0; count < 9; count++) void nodes[count % 3]?.server.resourceUpdated("test://note");
    await expect.poll(() => updates.length).toBe(9);
  });

  test("a call's stream moves between nodes at any position, without loss or duplicates", async () => {
    const nodes = await startNodes(3);
    const client = await openSession(nodes[0].endpoint);
    const on = (index: number) => moveTo(nodes[index % 3] ?? nodes[0], client);
    let id = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.record({ cut: fc.integer({ min: 0, max: 4 }), node: fc.integer({ min: 0, max: 2 }) }), {
          minLength: 1,
          maxLength: 5,
        }),
        async (to, moves) => {
          id++;
          const got: SseEvent[] = [];
          let response = await on(id).call("count", { to }, id);
          for (const [index, { cut, node }] of moves.entries()) {
            if (response.status === 204) break;
            const events = readEvents(response);
            for (let count = 0; count < (index === 0 ? cut + 1 : cut); count++) {
              const event = await events.next();
              if (event === undefined) break;
              got.push(event);
            }
            await events.cut();
            response = await on(node).get(lastIdOf(got));
          }
          const all = [...got, ...(await allEvents(response))];
          expect(messagesOf(all)).toEqual(counted(to, id));
          // The first event of a resumed stream repeats the position, without data.
          const ids = all.filter(({ data }) => data !== "").map((event) => event.id);
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("subscriptions, cancellations, and ends reach the other node", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    await read(await moveTo(b, client).post(request("resources/subscribe", { uri: "test://note" })));
    void b.server.resourceUpdated("test://note");
    expect(await events.message()).toMatchObject({ params: { uri: "test://note" } });
    const call = client.call("quiet", {}, 5);
    await expect.poll(() => a.seen.started).toBe(1);
    await moveTo(b, client).post({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 5 },
    });
    expect(await allMessages(await call)).toEqual([]);
    expect((await moveTo(b, client).end()).status).toBe(204);
    expect(messagesOf(await events.rest())).toEqual([]);
    for (const node of [a, b])
      expect((await moveTo(node, client).call("echo", { text: "hi" })).status).toBe(404);
  });

  test("the main stream moves between nodes and sends every change once", async () => {
    const nodes = await startNodes();
    const client = await openSession(nodes[0].endpoint);
    await read(await client.post(request("resources/subscribe", { uri: "test://note" })));
    const got: SseEvent[] = [];
    let made = 0;
    for (let turn = 0; turn < 12; turn++) {
      const node = nodes[turn % 2 === 0 ? 0 : 1];
      const events = readEvents(await moveTo(node, client).get(lastIdOf(got)));
      got.push((await events.next()) ?? {}); // the position, without data
      for (const { server: changed } of nodes) {
        void changed.resourceUpdated("test://note");
        made++;
      }
      // One change is read, and the other one is left to the next node.
      got.push((await events.next()) ?? {});
      await events.cut();
    }
    const last = readEvents(await moveTo(nodes[0], client).get(lastIdOf(got)));
    while (messagesOf(got).length < made) got.push((await last.next()) ?? {});
    await client.end();
    expect(messagesOf(await last.rest())).toEqual([]);
    const ids = got.filter(({ data }) => data !== "").map(({ id }) => id);
    expect(new Set(ids).size).toBe(made);
  });

  test("a call on a lost node ends with one error for a client that resumes on the other", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.call("wait", {}, 7));
    const priming = await events.next();
    await events.message();
    a.proxy.refuse();
    a.proxy.cut();
    await events.cut();
    const error = { code: expect.any(Number), message: expect.stringContaining("was lost") };
    const expected = [logged("started"), { jsonrpc: "2.0", id: 7, error }];
    expect(await allMessages(await moveTo(b, client).get(priming?.id))).toEqual(expected);
    expect(await allMessages(await moveTo(b, client).get(priming?.id))).toEqual(expected);
  });

  test("a session continues after Redis was restarted, and its open streams receive changes again", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    await events.next();
    await server.restart();
    const works = async (on: LegacyClient) => (await on.call("echo", { text: "hi" })).status;
    for (const node of [a, b]) await expect.poll(() => works(moveTo(node, client))).toBe(200);
    void b.server.notifyListChanged("tools");
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    await events.cut();
  });

  test("requests get 503 with Retry-After while Redis does not respond", async () => {
    const [a] = await startNodes();
    const client = await openSession(a.endpoint);
    a.proxy.refuse();
    a.proxy.cut();
    for (const response of [
      await client.call("echo", { text: "hi" }),
      await a.endpoint.fetch(post(initializeBody())),
    ]) {
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("1");
      expect(await response.text()).not.toMatch(/redis|ECONN|127\.0\.0\.1/i);
    }
    a.proxy.accept();
    await expect.poll(async () => (await client.call("echo", { text: "hi" })).status).toBe(200);
  });

  test("neither session IDs nor messages can be read in Redis", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    await allEvents(await moveTo(b, client).call("shout", { length: 5_000 }));
    const dump = await dumpAll(server);
    // The keys of the events and the records are in it.
    expect(dump).toMatch(/:events:.*:session:|:session:.*:events:/s);
    for (const secret of [
      client.id.slice(0, 16),
      client.id.slice(16),
      "xxxxxxxx",
      "protocolVersion",
      "tests",
    ])
      expect(dump).not.toContain(secret);
    await events.cut();
  });
});

/** Returns the text of all keys and values. */
async function dumpAll({ host, port }: RedisServer): Promise<string> {
  const script =
    "local out = {} for _, key in ipairs(redis.call('KEYS', '*')) do table.insert(out, key) " +
    "local kind = redis.call('TYPE', key).ok local value = '' " +
    "if kind == 'string' then value = redis.call('GET', key) " +
    "elseif kind == 'hash' then value = table.concat(redis.call('HGETALL', key), ' ') " +
    "elseif kind == 'stream' then value = cjson.encode(redis.call('XRANGE', key, '-', '+')) " +
    "elseif kind == 'list' then value = table.concat(redis.call('LRANGE', key, 0, -1), ' ') end " +
    "table.insert(out, value) end return table.concat(out, ' ')";
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () =>
      socket.end(`*3\r\n$4\r\nEVAL\r\n$${script.length}\r\n${script}\r\n$1\r\n0\r\n`),
    );
    let reply = "";
    socket.on("data", (chunk: Buffer) => (reply += chunk.toString()));
    socket.on("close", () => resolve(reply));
    socket.on("error", reject);
  });
}
