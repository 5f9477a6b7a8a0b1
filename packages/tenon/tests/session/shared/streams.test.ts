import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryStore } from "tenon/stores";
import {
  allEvents,
  allMessages,
  messagesOf,
  readEvents,
  type SseEvent,
} from "../../../../../tests/support/http-events.js";
import { read, until } from "../../../../../tests/support/http-faces.js";
import { openSession } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";
import { logged, moveTo, startNode, startNodes, text } from "../../support/session/shared/nodes.js";

const counted = (to: number, id: string | number = 1) => [
  ...Array.from({ length: to }, (_, index) => logged(index + 1)),
  { jsonrpc: "2.0", id, result: text("done") },
];
const waited = (id: string | number = 1) => [
  logged("started"),
  logged("released"),
  { jsonrpc: "2.0", id, result: text("waited") },
];
const lastIdOf = (events: readonly SseEvent[]) => events.findLast(({ id }) => id !== undefined)?.id;

describe("a call's stream on several nodes", () => {
  test("starts with an event ID and the reconnect delay, and names the node and the call", async () => {
    const [a] = await startNodes();
    const client = await openSession(a.endpoint);
    const [priming, ...rest] = await allEvents(await client.call("count", { to: 2 }));
    expect(priming).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}-[0-9a-z]+_0$/),
      retry: "1000",
      data: "",
    });
    const stream = priming?.id?.replace(/_0$/, "");
    expect(rest.map(({ id }) => id)).toEqual([1, 2, 3].map((number) => `${stream}_${number}`));
    expect(messagesOf(rest)).toEqual(counted(2));
  });

  test("begins when its first event is stored, so that a client that knows the stream can resume it", async () => {
    const inner = createMemoryStore();
    let store = (): void => undefined;
    const stored = new Promise<void>((resolve) => (store = resolve));
    const append: typeof inner.events.append = (...given) => stored.then(() => inner.events.append(...given));
    const a = await startNode({ store: { ...inner, events: { ...inner.events, append } }, sockets: true });
    const client = await openSession(a.endpoint);
    let hasBegun = false;
    const opened = client.call("wait").then((response) => {
      hasBegun = true;
      return readEvents(response);
    });
    await expect.poll(() => a.seen.started).toBe(1);
    // The node has received another request on this connection meanwhile.
    await (await client.post(request("ping", {}, "ping"))).text();
    expect(hasBegun).toBe(false);
    store();
    expect((await (await opened).next())?.id).toMatch(/_0$/);
    a.seen.release();
  });

  test("resumes on the other node while the call runs", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const first = readEvents(await client.call("wait"));
    const got = [await first.next(), await first.next()].filter((event) => event !== undefined);
    await first.cut();
    const resumed = readEvents(await moveTo(b, client).get(lastIdOf(got)));
    a.seen.release();
    expect(messagesOf([...got, ...(await resumed.rest())])).toEqual(waited());
  });

  test("ends on the first node when the client resumes it on the other node", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const first = readEvents(await client.call("wait"));
    const priming = await first.next();
    const resumed = readEvents(await moveTo(b, client).get(priming?.id));
    expect(messagesOf(await first.rest())).toEqual([logged("started")]);
    a.seen.release();
    expect(messagesOf(await resumed.rest())).toEqual(waited());
  });

  test("sends every event once and in order, with disconnects at any position and any node", async () => {
    const store = createMemoryStore();
    const nodes = [
      await startNode({ store }),
      await startNode({ store }),
      await startNode({ store }),
    ] as const;
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
            // A client that has not received the first event does not have an ID to resume from.
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
      { numRuns: 60 },
    );
  });

  test("is 204 after its last event, on every node", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = await allEvents(await client.call("count", { to: 1 }));
    for (const node of [a, b]) expect((await moveTo(node, client).get(lastIdOf(events))).status).toBe(204);
    // Before the last event, the rest is sent.
    const rest = await allMessages(await moveTo(b, client).get(events.at(-2)?.id));
    expect(rest).toEqual(counted(1).slice(-1));
  });

  test.each([
    { form: "sessions of one process", id: "1_0" },
    { form: "the main stream of one process", id: "main_3" },
    { form: "the end of a stream", id: `${"0".repeat(16)}-1_end` },
    { form: "no ID", id: "nothing" },
    { form: "a long text", id: "a".repeat(5_000) },
  ])("rejects an ID of the form of $form", async ({ id }) => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const response = await moveTo(b, client).get(id);
    expect(response.status).toBe(400);
  });

  test("is 204 for an ID of an unknown call or of a different session, and stores nothing for it", async () => {
    const store = createMemoryStore();
    const [a, b] = await startNodes({ store });
    const [ada, eve] = [await openSession(a.endpoint), await openSession(a.endpoint)];
    const events = await allEvents(await ada.call("count", { to: 2 }));
    for (const id of [events[1]?.id, `${"0".repeat(16)}-1_0`, `${"0".repeat(16)}-1_7`]) {
      expect((await moveTo(b, eve).get(id)).status).toBe(204);
    }
    expect(await store.events.read(`session/${eve.id.slice(0, 16)}`)).toEqual({ ok: true, events: [] });
  });

  test("resumes with the retained events if the log has dropped the next ones", async () => {
    const store = createMemoryStore({ events: { maxEvents: 4 } });
    const [a, b] = await startNodes({ store });
    const client = await openSession(a.endpoint);
    const events = await allEvents(await client.call("count", { to: 8 }));
    // The log has the last three events and the end of the stream.
    expect(await allMessages(await moveTo(b, client).get(events[1]?.id))).toEqual(counted(8).slice(-3));
  });

  test("sends a result that is too large for the store once, and an error to a client that resumes", async () => {
    const store = createMemoryStore({ events: { maxBytes: 6_000 } });
    const [a, b] = await startNodes({ store });
    const client = await openSession(a.endpoint);
    const events = await allEvents(await client.call("shout", { length: 8_000 }, 2));
    expect(messagesOf(events).at(-1)).toEqual({ jsonrpc: "2.0", id: 2, result: text("x".repeat(8_000)) });
    const again = await allMessages(await moveTo(b, client).get(events[1]?.id));
    expect(again).toEqual([
      {
        jsonrpc: "2.0",
        id: 2,
        error: {
          code: expect.any(Number),
          message: expect.stringContaining("is too large to buffer for a reconnect"),
        },
      },
    ]);
  });
});

describe("messages between nodes", () => {
  test("a cancellation on one node stops the call on the other", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const call = client.call("quiet", {}, 5);
    await until(() => a.seen.started === 1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } };
    expect((await moveTo(b, client).post(cancel)).status).toBe(202);
    expect(await allMessages(await call)).toEqual([]);
    expect(a.seen.aborted).toBe(1);
  });

  test("a cancellation of one session does not stop the call of a different session", async () => {
    const [a, b] = await startNodes();
    const [ada, eve] = [await openSession(a.endpoint), await openSession(a.endpoint)];
    const call = ada.call("quiet", {}, 5);
    await until(() => a.seen.started === 1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } };
    await moveTo(b, eve).post(cancel);
    a.seen.release();
    expect(await allMessages(await call)).toEqual([{ jsonrpc: "2.0", id: 5, result: text("waited") }]);
    expect(a.seen.aborted).toBe(0);
  });

  test("a question of one node is answered on the other, once, and only by its own session", async () => {
    const [a, b] = await startNodes();
    const ada = await openSession(a.endpoint, { capabilities: { elicitation: {} } });
    const eve = await openSession(a.endpoint, { capabilities: { elicitation: {} } });
    const events = readEvents(await ada.call("ask"));
    const { id } = await events.message();
    const answer = (name: string) => ({
      jsonrpc: "2.0",
      id,
      result: { action: "accept", content: { name } },
    });
    expect((await moveTo(b, eve).post(answer("Eve"))).status).toBe(202);
    expect((await moveTo(b, ada).post(answer("Ada"))).status).toBe(202);
    expect((await moveTo(b, ada).post(answer("Bob"))).status).toBe(202);
    expect(await events.message()).toEqual({ jsonrpc: "2.0", id: 1, result: text("Hello Ada") });
    expect(await events.next()).toBeUndefined();
  });

  test("an error of the client on one node rejects the question of the other", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint, { capabilities: { elicitation: {} } });
    const events = readEvents(await client.call("ask"));
    const { id } = await events.message();
    await moveTo(b, client).post({
      jsonrpc: "2.0",
      id,
      error: { code: -1, message: "secret of the client" },
    });
    const reply = JSON.stringify(await events.message());
    expect(reply).toContain('"id":1');
    expect(reply).not.toContain("secret of the client");
  });

  test("the log level and the negotiated revision are the same on every node", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint, { revision: "2025-06-18" });
    expect(await allMessages(await moveTo(b, client).call("count", { to: 2 }))).toHaveLength(3);
    await read(await moveTo(b, client).post(request("logging/setLevel", { level: "error" }, 2)));
    expect(await allMessages(await client.call("count", { to: 2 }))).toHaveLength(1);
  });
});
