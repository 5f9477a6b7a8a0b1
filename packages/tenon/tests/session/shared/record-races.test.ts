import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { messagesOf, readEvents } from "../../../../../tests/support/http-events.js";
import { read, until } from "../../../../../tests/support/http-faces.js";
import { type LegacyClient, openSession } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";
import { moveTo, startNode, startNodes } from "../../support/session/shared/nodes.js";

/** Store whose operations on session records can be held back: reads after they have read, writes before they write. */
function createHeldStore(inner: SharedStore) {
  const waiting: (() => void)[] = [];
  const held = {
    operation: "none" as "none" | "read" | "write",
    waiting,
    release() {
      held.operation = "none";
      for (const go of waiting.splice(0)) go();
    },
  };
  const pause = async (operation: "read" | "write") => {
    if (held.operation === operation) await new Promise<void>((go) => waiting.push(go));
  };
  const sessions: SharedStore["sessions"] = {
    ...inner.sessions,
    async get(key) {
      const entry = await inner.sessions.get(key);
      await pause("read");
      return entry;
    },
    async compareAndSet(...given) {
      await pause("write");
      return inner.sessions.compareAndSet(...given);
    },
  };
  return { held, store: { ...inner, sessions } };
}

/** Starts two nodes. Operations of the first one can be held back. */
async function startHeld() {
  const shared = createMemoryStore();
  const { held, store } = createHeldStore(shared);
  return { held, a: await startNode({ store }), b: await startNode({ store: shared }) };
}

const subscribe = async (client: LegacyClient, uri: string) =>
  (await read(await client.post(request("resources/subscribe", { uri }, uri)))).body;

describe("a record that was read before another node has changed it", () => {
  test("does not replace the newer one", async () => {
    const { held, a, b } = await startHeld();
    const client = await openSession(a.endpoint);
    const stream = readEvents(await client.get());
    const other = moveTo(b, client);
    await subscribe(other, "test://note");
    void b.server.resourceUpdated("test://note");
    await stream.message();
    held.operation = "read";
    const late = client.post(request("ping", {}, 1));
    await until(() => held.waiting.length === 1, "the read of the request");
    held.operation = "none";
    await subscribe(other, "test://item/1");
    void b.server.resourceUpdated("test://item/1");
    expect(await stream.message()).toMatchObject({ params: { uri: "test://item/1" } });
    held.release();
    await (await late).text();
    for (const uri of ["test://item/1", "test://note"]) void b.server.resourceUpdated(uri);
    expect(await stream.message()).toMatchObject({ params: { uri: "test://item/1" } });
    expect(await stream.message()).toMatchObject({ params: { uri: "test://note" } });
    await stream.cut();
  });

  test("does not keep a stream from updates of resources that the client has subscribed to since", async () => {
    const { held, a, b } = await startHeld();
    const client = await openSession(b.endpoint);
    held.operation = "read";
    const late = moveTo(a, client).get();
    await until(() => held.waiting.length === 1, "the read of the request");
    expect(await subscribe(client, "test://note")).toMatchObject({ result: {} });
    // The node has received the message about the record, but does not have the session yet.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    held.release();
    const stream = readEvents(await late);
    await b.server.resourceUpdated("test://note");
    await b.server.notifyListChanged("tools");
    expect(await stream.message()).toMatchObject({ params: { uri: "test://note" } });
    await stream.cut();
  });

  test("does not open a stream for a session that has ended since", async () => {
    const { held, a, b } = await startHeld();
    const client = await openSession(b.endpoint);
    held.operation = "read";
    const late = moveTo(a, client).get();
    await until(() => held.waiting.length === 1, "the read of the request");
    expect((await client.end()).status).toBe(204);
    // The node has received the message that the session has ended.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    held.release();
    expect((await late).status).toBe(404);
  });
});

describe("subscriptions of a session", () => {
  test("at the limit are refused before they are acknowledged, and none is lost", async () => {
    const { held, a, b } = await startHeld();
    const client = await openSession(b.endpoint);
    // The limit of the total length leaves room for one of the two.
    const uris = Array.from({ length: 15 }, (_, at) => `test://item/${at}`.padEnd(8_000, "x"));
    const [kept, refused] = ["test://item/a", "test://item/b"].map((uri) => uri.padEnd(5_000, "x"));
    for (const uri of uris) await subscribe(client, uri);
    const stream = readEvents(await client.get());
    held.operation = "write";
    const late = subscribe(moveTo(a, client), refused ?? "");
    await until(() => held.waiting.length === 1, "the write of the request");
    expect(await subscribe(client, kept ?? "")).toMatchObject({ result: {} });
    held.release();
    const error = { message: expect.stringContaining("Too many subscriptions") };
    expect(await late).toMatchObject({ error });
    expect(await subscribe(moveTo(a, client), "test://note")).toMatchObject({ result: {} });
    for (const uri of [refused ?? "", kept ?? "", ...uris, "test://note"]) void a.server.resourceUpdated(uri);
    for (const uri of [kept, ...uris, "test://note"])
      expect(await stream.message()).toMatchObject({ params: { uri } });
    await stream.cut();
  });

  test("are not acknowledged if the store fails", async () => {
    const shared = createMemoryStore();
    const compareAndSet = () => Promise.reject(new Error("The store is away."));
    const a = await startNode({ store: { ...shared, sessions: { ...shared.sessions, compareAndSet } } });
    const b = await startNode({ store: shared });
    const client = moveTo(a, await openSession(b.endpoint));
    const response = await client.post(request("resources/subscribe", { uri: "test://note" }));
    expect(response.status).toBe(503);
  });

  test("are kept when the node with the session's stream stops", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const stream = readEvents(await client.get());
    await subscribe(client, "test://note");
    await a.endpoint.close(0);
    expect(messagesOf(await stream.rest())).toEqual([]);
    const moved = readEvents(await moveTo(b, client).get());
    void b.server.resourceUpdated("test://note");
    void b.server.notifyListChanged("prompts");
    expect(await moved.message()).toMatchObject({ params: { uri: "test://note" } });
    await moved.cut();
  });
});
