import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { defineServer } from "../../../src/core/define-server.js";
import type { Server } from "../../../src/core/server.js";
import type { LogEntry } from "../../../src/core/wire/log.js";
import type { HttpOptions } from "../../../src/transport/http/options.js";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { type Endpoint, FETCH, read } from "../../../../../tests/support/http-faces.js";
import { modernCall, openSession } from "../../../../../tests/support/http-messages.js";
import { createFaultyStore, pass, startNode } from "../../support/session/shared/nodes.js";
import { createGate } from "../../support/tasks/task-client.js";

/** Store whose log of changes accepts an entry only when the test says so. */
function createGatedStore() {
  const inner = createMemoryStore();
  const gates: (() => void)[] = [];
  const events: SharedStore["events"] = {
    ...inner.events,
    async append(name, ...rest) {
      if (name.startsWith("changes/")) await new Promise<void>((resolve) => gates.push(resolve));
      return inner.events.append(name, ...rest);
    },
  };
  return { store: { ...inner, events }, gates };
}

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Starts a node with tools that update a resource, and do not wait until the update is stored. */
async function startUpdater(store: SharedStore, http: HttpOptions<unknown> = {}) {
  const logged: string[] = [];
  const log = (entry: LogEntry) => void logged.push("error" in entry ? String(entry.error) : entry.event);
  const gate = createGate();
  const server: Server = defineServer({ name: "updater", version: "1.0.0", log })
    .resource("note", { uri: "test://note", handler: () => "note" })
    .tool("forget", {
      handler: () => {
        void server.resourceUpdated("test://note");
        return "done";
      },
    })
    .tool("later", {
      handler: async () => {
        await nextTurn();
        void server.update((editor) =>
          editor.resource("more", { uri: "test://more", handler: () => "more" }),
        );
        return "done";
      },
    })
    .tool("patient", {
      handler: async () => {
        await server.resourceUpdated("test://note");
        return "done";
      },
    })
    .tool("plain", { handler: () => "done" })
    .tool("wait", { handler: () => gate.promise.then(() => "done") })
    .build();
  const endpoint = await FETCH.open(server, { ...http, store });
  return { server, endpoint, logged, gate };
}

/** Starts a node that has lost its store. */
async function startCutOff() {
  const clock = createClock();
  const faulty = createFaultyStore(createMemoryStore({ ports: clock.ports }));
  const node = await startUpdater(faulty.store, { ports: clock.ports });
  faulty.isCut = true;
  return { ...node, clock, faulty };
}

/** Sends a call that needs no store, and tells when it is answered. */
function sendCall({ endpoint }: { readonly endpoint: Endpoint }, tool: string) {
  const call = { body: undefined as unknown };
  void endpoint.fetch(modernCall(tool)).then(async (response) => (call.body = (await read(response)).body));
  return call;
}

const DONE = { result: { content: [{ text: "done" }] } };
const SOON = { timeout: 10_000 };

describe("a change on a node with a store", () => {
  test.each(["forget", "later"])("is stored before the response of the call (%s)", async (tool) => {
    const { store, gates } = createGatedStore();
    const { endpoint } = await startUpdater(store);
    const client = await openSession(endpoint);
    for (const call of [() => client.call(tool), () => endpoint.fetch(modernCall(tool))]) {
      let isAnswered = false;
      const answered = call().then(async (response) => {
        const { body } = await read(response);
        isAnswered = true;
        return body;
      });
      await expect.poll(() => gates.length).toBe(1);
      await turns();
      expect(isAnswered).toBe(false);
      gates.shift()?.();
      expect(await answered).toMatchObject({ result: { content: [{ text: "done" }] } });
      if (tool === "later") break; // the second update would be an error
    }
  });

  test("does not delay calls that change nothing", async () => {
    const { store, gates } = createGatedStore();
    const { server, endpoint } = await startUpdater(store);
    const client = await openSession(endpoint);
    const stored = server.resourceUpdated("test://note");
    expect(await read(await client.call("plain"))).toMatchObject({ body: { result: {} } });
    await expect.poll(() => gates.length).toBe(1);
    gates.shift()?.();
    await expect(stored).resolves.toBeUndefined();
  });

  test("is reported to its caller if the store fails for too long, and to nobody else", async () => {
    const clock = createClock();
    const faulty = createFaultyStore(createMemoryStore({ ports: clock.ports }));
    const node = await startNode({ store: faulty.store, http: { ports: clock.ports } });
    faulty.isCut = true;
    let outcome = "unknown";
    void node.server.resourceUpdated("test://note").then(
      () => (outcome = "stored"),
      () => (outcome = "failed"),
    );
    void node.server.notifyListChanged("tools"); // its rejection must not be unhandled
    await expect
      .poll(async () => {
        await pass(clock, 1_000);
        return outcome;
      })
      .toBe("failed");
  });

  test("delays the calls of others for a few seconds at most, however many changes there are", async () => {
    const { server, endpoint, gate, clock } = await startCutOff();
    const waiting = sendCall({ endpoint }, "wait");
    await turns();
    for (let count = 0; count < 5; count++) void server.resourceUpdated("test://note");
    gate.open();
    await turns();
    expect(waiting.body).toBeUndefined();
    await pass(clock, 5_000);
    await expect.poll(() => waiting.body, SOON).toMatchObject(DONE);
    // The store is known to fail, so that further calls do not wait.
    const later = sendCall({ endpoint }, "forget");
    await expect.poll(() => later.body, SOON).toMatchObject(DONE);
    await expect(server.resourceUpdated("test://note")).rejects.toThrow(
      'The update of "test://note" is not stored yet. The store fails. Tenon tries again for 30 seconds.',
    );
  });

  test("that handlers wait for is a part of the outage in the log, which is one entry", async () => {
    const { endpoint, clock, logged } = await startCutOff();
    const calls = Array.from({ length: 20 }, () => sendCall({ endpoint }, "patient"));
    await pass(clock, 10_000);
    calls.push(...Array.from({ length: 20 }, () => sendCall({ endpoint }, "patient")));
    const FAILED = { result: { isError: true } };
    for (const call of calls) await expect.poll(() => call.body, SOON).toMatchObject(FAILED);
    expect(logged).toHaveLength(1);
  });

  test("is stored after its call got a response, if the store works again soon", async () => {
    const { server, endpoint, clock, faulty } = await startCutOff();
    const { body } = await read(await endpoint.fetch(modernCall("plain")));
    expect(body).toMatchObject(DONE);
    const call = sendCall({ endpoint }, "forget");
    await pass(clock, 5_000);
    await expect.poll(() => call.body, SOON).toMatchObject(DONE);
    faulty.isCut = false;
    await expect
      .poll(async () => {
        await pass(clock, 1_000);
        const found = await faulty.store.events.read("changes/updater");
        return found.ok && found.events.length;
      }, SOON)
      .toBe(1);
    await expect(server.resourceUpdated("test://note")).resolves.toBeUndefined();
  });

  test("that is lost is named in the log", async () => {
    const { server, clock, logged } = await startCutOff();
    for (const name of ["a", "b", "c"]) void server.resourceUpdated(`test://${name}`);
    void server.notifyListChanged("prompts");
    const names = ['update of "test://a"', 'update of "test://b"', 'update of "test://c"', 'list "prompts"'];
    await expect
      .poll(async () => {
        await pass(clock, 1_000);
        const lines = logged.filter((line) => line.includes("Changes were not stored"));
        return names.filter((name) => lines.some((line) => line.includes(name)));
      }, SOON)
      .toEqual(names);
  });

  test("that waits when the node stops is stored first, or named in the log", async () => {
    const { store, gates } = createGatedStore();
    const updater = await startUpdater(store);
    void updater.server.resourceUpdated("test://note");
    let isClosed = false;
    const closed = updater.endpoint.close().then(() => (isClosed = true));
    await expect.poll(() => gates.length).toBe(1);
    await turns();
    expect(isClosed).toBe(false);
    gates.shift()?.();
    await closed;
    expect(updater.logged).toEqual([]);

    const { server, endpoint, clock, logged } = await startCutOff();
    void server.resourceUpdated("test://last");
    await pass(clock, 10_000);
    void endpoint.close();
    await pass(clock, 3_000);
    await expect.poll(() => logged.join("\n"), SOON).toContain('(1): The update of "test://last".');
  });

  test("is done at once without a store", async () => {
    const server = defineServer({ name: "alone", version: "1.0.0" }).build();
    await expect(server.resourceUpdated("test://note")).resolves.toBeUndefined();
    await expect(server.notifyListChanged("tools")).resolves.toBeUndefined();
  });
});
