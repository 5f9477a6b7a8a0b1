import type { JsonObject } from "@tenon/internal/json";
import type { LogEntry } from "tenon";
import { createMemoryStore, idempotency } from "tenon/stores";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { allMessages, readEvents } from "../../../../tests/support/http-events.js";
import { FETCH, read } from "../../../../tests/support/http-faces.js";
import { modernCall, modernPost, openSession } from "../../../../tests/support/http-messages.js";
import { request } from "../../../../tests/support/requests.js";
import { defineServer } from "../../src/index.js";
import { asNewer, type RecordFormat } from "../support/records/newer-version.js";
import { createFaultyStore, logged, moveTo, startNode, text } from "../support/session/shared/nodes.js";

// The setup of the tests has loaded modules with the functions of this version.
vi.hoisted(() => vi.resetModules());
vi.mock("@tenon/internal/records/record-format", async (original) => {
  const { switchVersions } = await import("../support/records/newer-version.js");
  return switchVersions(await original<RecordFormat>());
});

// Later test files in this worker must not get modules with the mock.
afterAll(() => void vi.resetModules());

/** During a rolling update, or after it was rolled back, nodes find records with a format that they do not know. */

let log: LogEntry[] = [];
beforeEach(() => {
  log = [];
});

const start = (store = createMemoryStore()) =>
  startNode({ store, server: { log: (entry) => void log.push(entry) } });

/** Texts of the log. */
const problems = () =>
  log.flatMap((entry) =>
    entry.level === "error" ? [entry.error instanceof Error ? entry.error.message : entry.error] : [],
  );
const problem = (kind: string) =>
  `A record (${kind}) has format 2, but this version of Tenon reads only up to format 1. ` +
  "It is left to nodes with the version that wrote it.";

describe("a record with a newer format", () => {
  test("of a session: the session does not exist here, and stays for the nodes that can read it", async () => {
    const store = createMemoryStore();
    const [older, newer] = [await start(store), await start(store)];
    const client = await asNewer(() => openSession(newer.endpoint));
    const key = client.id.slice(0, 16);
    const stored = await store.sessions.get(key);
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await moveTo(older, client).call("echo", { text: "hi" })).status).toBe(404);
    expect(await store.sessions.get(key)).toEqual(stored);
    expect(problems()).toEqual([problem("session")]);
    const answered = await asNewer(() => client.call("echo", { text: "hi" }));
    expect(await allMessages(answered)).toMatchObject([{ result: text("hi") }]);
  });

  test("of a session that this node serves: its change is not overwritten", async () => {
    const store = createMemoryStore();
    const own = createFaultyStore(store);
    const [older, newer] = [await start(own.store), await start(store)];
    const client = await openSession(older.endpoint);
    const subscribe = (uri: string) => request("resources/subscribe", { uri });
    // The older node reads the record later, as a node of its own version.
    own.isCut = true;
    await asNewer(async () => read(await moveTo(newer, client).post(subscribe("test://note"))));
    own.isCut = false;
    const stored = await store.sessions.get(client.id.slice(0, 16));
    expect((await client.post(subscribe("test://page"))).status).toBe(404);
    expect(await store.sessions.get(client.id.slice(0, 16))).toEqual(stored);
  });

  test("of an event: its stream ends, so that the client gets the event from another node", async () => {
    const store = createMemoryStore();
    const [older, newer] = [await start(store), await start(store)];
    const client = await openSession(newer.endpoint);
    const first = await asNewer(async () => {
      const events = readEvents(await client.call("count", { to: 2 }));
      const event = await events.next();
      await events.rest();
      return event;
    });
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await allMessages(await moveTo(older, client).get(first?.id))).toEqual([]);
    expect(problems()).toEqual([problem("event of a session")]);
    // The events of other streams in the same log do not matter.
    const other = readEvents(await client.call("count", { to: 1 }, 2));
    const second = await other.next();
    await other.rest();
    expect(await allMessages(await moveTo(older, client).get(second?.id))).toEqual([
      logged(1),
      { jsonrpc: "2.0", id: 2, result: text("done") },
    ]);
    const rest = await asNewer(async () => allMessages(await moveTo(older, client).get(first?.id)));
    expect(rest).toEqual([logged(1), logged(2), { jsonrpc: "2.0", id: 1, result: text("done") }]);
  });

  test("of a change: it is skipped, and later ones are delivered", async () => {
    const store = createMemoryStore();
    const own = createFaultyStore(store);
    const [older, newer] = [await start(own.store), await start(store)];
    const seen: unknown[] = [];
    older.server.onChange((change) => seen.push(change));
    await vi.waitFor(async () => {
      await newer.server.notifyListChanged("prompts");
      expect(seen).toContainEqual({ kind: "prompts" });
    });
    // The older node reads the change later, as a node of its own version.
    own.isCut = true;
    await asNewer(() => newer.server.notifyListChanged("resources"));
    own.isCut = false;
    await vi.waitFor(() => expect(problems()).toContain(problem("change of a server")));
    await newer.server.notifyListChanged("tools");
    await vi.waitFor(() => expect(seen).toContainEqual({ kind: "tools" }));
    expect(seen).not.toContainEqual({ kind: "resources" });
  });

  test("of an idempotent call: a repeated call is rejected, and runs nothing", async () => {
    const store = createMemoryStore();
    let runs = 0;
    const server = defineServer({ name: "shop", version: "1.0.0", log: (entry) => void log.push(entry) })
      .use(idempotency({ store }))
      .tool("pay", { handler: () => `Payment ${++runs}` })
      .build();
    const endpoint = await FETCH.open(server, { store });
    const pay = async () => {
      const called = modernCall("pay", {}, { headers: { "idempotency-key": "key-1" } });
      return (await read(await endpoint.fetch(called))).body;
    };
    expect(await asNewer(pay)).toMatchObject({ result: text("Payment 1") });
    const message = "Calls with an idempotency key are temporarily unavailable. Try again later.";
    expect(await pay()).toMatchObject({ error: { message } });
    expect(problems()).toEqual([problem("idempotent call")]);
    expect(await asNewer(pay)).toMatchObject({ result: text("Payment 1") });
    expect(runs).toBe(1);
  });

  test("of a call's state: the client is told to start again", async () => {
    const { endpoint } = await start();
    const capabilities = { elicitation: { form: {} } };
    const ask = async (params: JsonObject) => {
      const asked = modernPost("tools/call", { name: "ask", arguments: {}, ...params }, { capabilities });
      return (await read(await endpoint.fetch(asked))).body;
    };
    const { result } = await asNewer(() => ask({}));
    const { requestState } = result as JsonObject;
    const answer = { name: { action: "accept", content: { name: "Ada" } } };
    expect(await ask({ requestState, inputResponses: answer })).toMatchObject({
      error: { message: "`requestState` is invalid or expired. Start the call again without it." },
    });
    expect(problems()).toEqual([problem("call state")]);
    const continued = await asNewer(() => ask({ requestState, inputResponses: answer }));
    expect(continued).toMatchObject({ result: text("Hello Ada") });
  });
});
