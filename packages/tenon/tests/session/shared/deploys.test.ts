import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { defineServer } from "../../../src/core/define-server.js";
import type { Server } from "../../../src/core/server.js";
import { createClock, type FakeClock } from "../../../../../tests/support/http-clock.js";
import { readEvents } from "../../../../../tests/support/http-events.js";
import { FETCH, read } from "../../../../../tests/support/http-faces.js";
import { type LegacyClient, openSession } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";
import { moveTo, pass } from "../../support/session/shared/nodes.js";

/** Starts a node with a version of the server. Each letter is a tool. */
async function startVersion(store: SharedStore, tools: string, clock = createClock()) {
  const builder = defineBare(tools).resource("note", { uri: "test://note", handler: () => "note" });
  return start(store, builder.build(), clock);
}

/** Defines a server without resources. */
function defineBare(tools: string) {
  const builder = defineServer({ name: "deployed", version: tools, log: () => undefined });
  for (const name of tools) builder.tool(name, { handler: () => name });
  return builder.prompt("hello", { handler: () => "hello" });
}

async function start(store: SharedStore, server: Server, clock: FakeClock) {
  const endpoint = await FETCH.open(server, { store, ports: clock.ports, writeTimeoutMs: 10_000_000 });
  return { server, endpoint, seen: { started: 0, aborted: 0, release: () => undefined } };
}

async function list(client: LegacyClient): Promise<string> {
  const { body } = await read(await client.post(request("tools/list", {})));
  const { tools } = (body as { readonly result: { readonly tools: readonly { name: string }[] } }).result;
  return tools.map(({ name }) => name).join("");
}

/** Returns the methods of all notifications until the node has had time for more. */
async function noticesOf(
  stream: ReturnType<typeof readEvents>,
  { server }: Awaited<ReturnType<typeof startVersion>>,
): Promise<readonly string[]> {
  // The change of a list that no version changes marks the end.
  void server.notifyListChanged("prompts");
  const methods: string[] = [];
  for (;;) {
    const { method } = await stream.message();
    if (method === "notifications/prompts/list_changed") return methods;
    methods.push(String(method));
  }
}

const TOOLS = "notifications/tools/list_changed";

describe("a rolling deploy", () => {
  test("notifies a client once when a node with other tools takes over its stream", async () => {
    const store = createMemoryStore();
    const [old, next] = [await startVersion(store, "a"), await startVersion(store, "ab")];
    const client = await openSession(old.endpoint);
    expect(await list(client)).toBe("a");
    const first = readEvents(await client.get());
    await first.next();
    await old.endpoint.close(0);
    await first.rest();
    const moved = moveTo(next, client);
    const second = readEvents(await moved.get());
    expect(await noticesOf(second, next)).toEqual([TOOLS]);
    await second.cut();
    const third = readEvents(await moved.get());
    expect(await noticesOf(third, next)).toEqual([]);
    expect(await list(moved)).toBe("ab");
    await third.cut();
    const fourth = readEvents(await moved.get());
    expect(await noticesOf(fourth, next)).toEqual([]);
    await fourth.cut();
  });

  test("does not notify a client of a node with the same lists", async () => {
    const store = createMemoryStore();
    const [old, next] = [await startVersion(store, "ab"), await startVersion(store, "ab")];
    const client = await openSession(old.endpoint);
    const stream = readEvents(await moveTo(next, client).get());
    expect(await noticesOf(stream, next)).toEqual([]);
    await stream.cut();
  });

  test("notifies a client again that has listed the tools on an old node", async () => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const [old, next] = [await startVersion(store, "a", clock), await startVersion(store, "ab", clock)];
    const client = await openSession(old.endpoint);
    const stream = readEvents(await moveTo(next, client).get());
    expect(await stream.message()).toMatchObject({ method: TOOLS });
    expect(await list(client)).toBe("a");
    await pass(clock, 10_000);
    expect(await stream.message()).toMatchObject({ method: TOOLS });
    expect(await list(moveTo(next, client))).toBe("ab");
    await pass(clock, 60_000);
    expect(await noticesOf(stream, next)).toEqual([]);
    await stream.cut();
  });

  test("notifies a client after a rollback", async () => {
    const store = createMemoryStore();
    const [old, next] = [await startVersion(store, "a"), await startVersion(store, "ab")];
    const client = await openSession(next.endpoint);
    expect(await list(client)).toBe("ab");
    const stream = readEvents(await moveTo(old, client).get());
    expect(await noticesOf(stream, old)).toEqual([TOOLS]);
    await stream.cut();
  });

  test("notifies ever more rarely if the nodes stay different", async () => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const [old, next] = [await startVersion(store, "a", clock), await startVersion(store, "ab", clock)];
    const client = await openSession(old.endpoint);
    const stream = readEvents(await moveTo(next, client).get());
    await stream.message();
    for (let minute = 0; minute < 10; minute++) {
      await list(client);
      await pass(clock, 60_000);
    }
    const notices = await noticesOf(stream, next);
    expect(notices.length).toBeGreaterThan(2);
    expect(notices.length).toBeLessThan(9);
    await stream.cut();
  });

  test("does not notify a client on an old node, whichever node it lists the tools on", async () => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const old = await startVersion(store, "a", clock);
    await pass(clock, 10_000);
    const next = await startVersion(store, "ab", clock);
    const client = await openSession(old.endpoint);
    const stream = readEvents(await client.get());
    for (const node of [next, old, next]) {
      await list(moveTo(node, client));
      await pass(clock, 60_000);
    }
    expect(await noticesOf(stream, old)).toEqual([]);
    await old.endpoint.close(0);
    const moved = readEvents(await moveTo(next, client).get());
    await pass(clock, 60_000);
    expect(await noticesOf(moved, next)).toEqual([]);
    await moved.cut();
  });

  test("notifies a client once whose stream moves between two versions, and once after a rollback", async () => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const old = await startVersion(store, "a", clock);
    await pass(clock, 10_000);
    const next = await startVersion(store, "ab", clock);
    const client = await openSession(old.endpoint);
    const readVersion = async () => (await store.sessions.get(client.id.slice(0, 16)))?.version;
    const noticesOn = async (node: typeof old) => {
      const stream = readEvents(await moveTo(node, client).get());
      await pass(clock, 30_000);
      const notices = await noticesOf(stream, node);
      // The next stream continues at the position of this one, which is stored when it ends.
      const before = await readVersion();
      await stream.cut();
      await expect.poll(readVersion).not.toBe(before);
      return notices;
    };
    expect(await noticesOn(old)).toEqual([]);
    expect(await noticesOn(next)).toEqual([TOOLS]);
    for (const node of [old, next, old, next]) expect(await noticesOn(node)).toEqual([]);
    const restored = await startVersion(store, "a", clock);
    expect(await noticesOn(next)).toEqual([]);
    expect(await noticesOn(restored)).toEqual([TOOLS]);
    expect(await noticesOn(restored)).toEqual([]);
  });
});

describe("an update of a server while it runs", () => {
  test.each(["its own node", "another node"])("is announced once to a client on %s", async (place) => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const [a, b] = [await startVersion(store, "a", clock), await startVersion(store, "a", clock)];
    await pass(clock, 10_000);
    const client = await openSession(a.endpoint);
    expect(await list(client)).toBe("a");
    const stream = readEvents(await client.get());
    const updated = place === "its own node" ? a : b;
    updated.server.update((editor) => editor.tool("b", { handler: () => "b" }));
    await pass(clock, 5_000);
    expect(await stream.message()).toMatchObject({ method: TOOLS });
    await pass(clock, 60_000);
    expect(await noticesOf(stream, a)).toEqual([]);
    await stream.cut();
  });
});

describe("a session whose record has no lists, because an earlier version stored it", () => {
  test("is notified once of each list that has items", async () => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const a = await start(store, defineBare("a").build(), clock);
    const b = await start(store, defineBare("a").build(), clock);
    const client = await openSession(a.endpoint);
    const key = client.id.slice(0, 16);
    const { value = "" } = (await store.sessions.get(key)) ?? {};
    const place = `session/${key}`;
    const { lists, ...record } = JSON.parse((await a.server.records.open(value, place)) ?? "") as JsonObject;
    expect(lists).toBeDefined();
    const earlier = await a.server.records.seal(JSON.stringify(record), place);
    await store.sessions.set(key, earlier, { ttlMs: 60_000_000 });
    const stream = readEvents(await moveTo(b, client).get());
    for (const kind of ["tools", "prompts"])
      expect(await stream.message()).toMatchObject({ method: `notifications/${kind}/list_changed` });
    await pass(clock, 60_000);
    expect(await noticesOf(stream, b)).toEqual([]);
    await stream.cut();
  });
});
