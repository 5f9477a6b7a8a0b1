import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { allMessages, messagesOf, readEvents } from "../../../tests/support/http-events.js";
import { read } from "../../../tests/support/http-faces.js";
import { request } from "../../../tests/support/requests.js";
import type { checkRecord, RecordKind, toRecordText } from "@tenon/internal/records/record-format";
import { openSession } from "../../../tests/support/http-messages.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../tools/redis-server.js";
import type { LogEntry } from "tenon";
import { LATEST_LEGACY } from "tenon/protocol";
import { moveTo } from "../../tenon/tests/support/session/shared/nodes.js";
import { noRedis } from "./support/fixture.js";
import { openNode } from "./support/versions/app.js";
import {
  call,
  createTask,
  getTask,
  readSome,
  resultOf,
  send,
  textOf,
  USER,
} from "./support/versions/client.js";
import { readFixture, restoreRedis } from "./support/versions/dump.js";

// Records the texts that nodes read and write, by kind. The setup of the tests has loaded modules without this.
const seen = vi.hoisted(() => {
  vi.resetModules();
  return { read: new Map<string, string>(), written: new Map<string, string>() };
});
vi.mock("@tenon/internal/records/record-format", async (original) => {
  type Formats = { readonly check: typeof checkRecord; readonly write: typeof toRecordText };
  const actual = await original<Record<string, unknown>>();
  // Safe: the functions of the module
  const { check, write } = { check: actual["checkRecord"], write: actual["toRecordText"] } as Formats;
  return {
    checkRecord(kind: RecordKind, text: string | undefined) {
      if (text !== undefined && !seen.read.has(kind)) seen.read.set(kind, text);
      return check(kind, text);
    },
    toRecordText(kind: RecordKind, record: object) {
      const text = write(kind, record);
      seen.written.set(kind, text);
      return text;
    },
  };
});

// Later test files in this worker must not get modules with the mock.
afterAll(() => void vi.resetModules());

/** A node of commit 22f11a4 has stopped, and a node of this version continues with what it has stored. */
describe.skipIf(noRedis !== undefined)("records of commit 22f11a4", { timeout: 60_000 }, () => {
  const { client, keys } = readFixture("redis-22f11a4.json");
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  }, REDIS_INSTALL_MS);
  afterAll(() => server.stop());

  /** Restores the records, and starts a node on them. */
  async function start() {
    const prefix = randomUUID();
    const redis = new Redis(server.url);
    await restoreRedis(redis, keys, prefix);
    redis.disconnect();
    const log: LogEntry[] = [];
    const options = { url: server.url, prefix, name: "new", log: (entry: LogEntry) => void log.push(entry) };
    const { endpoint, server: app } = await openNode(options);
    onTestFinished(() => endpoint.close());
    const headers = { "mcp-session-id": client.session, "mcp-protocol-version": LATEST_LEGACY, ...USER };
    return { endpoint, app, log, session: moveTo({ endpoint }, { id: client.session, headers }) };
  }

  test("a session continues with its subscription, and gets the update that it has missed", async () => {
    const { app, log, session } = await start();
    const events = readEvents(await session.get(client.lastUpdate));
    /** Returns the URI of the next update. The record does not say which lists the client knows, so it is told once. */
    const nextUpdate = async () => {
      for (;;) {
        const { method, params } = await events.message();
        if (method === "notifications/resources/updated") return (params as { readonly uri: string }).uri;
        expect(method).toMatch(/list_changed$/);
      }
    };
    expect(await nextUpdate()).toBe("test://note");
    await app.resourceUpdated("test://page");
    await app.resourceUpdated("test://note");
    expect(await nextUpdate()).toBe("test://note");
    await read(await session.post(request("resources/subscribe", { uri: "test://page" })));
    await app.resourceUpdated("test://page");
    expect(await nextUpdate()).toBe("test://page");
    await events.cut();
    // Taking over the tasks is a warning.
    expect(log.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("a stream is resumed, and gets the events and the result that were missed", async () => {
    const { session } = await start();
    expect(await allMessages(await session.get(client.lastCount))).toMatchObject([
      { method: "notifications/message", params: { data: 2 } },
      { method: "notifications/message", params: { data: 3 } },
      { id: 11, result: { content: [{ text: "done" }] } },
    ]);
  });

  test("a call that was running ends with an error", async () => {
    const { session } = await start();
    const events = await readEvents(await session.get(client.lastHang)).rest();
    expect(messagesOf(events)).toMatchObject([
      { id: 12, error: { message: expect.stringContaining("The node that ran this call was lost") } },
    ]);
  });

  test("an idempotent call gets the stored result", async () => {
    const { endpoint } = await start();
    const key = { "idempotency-key": "key-1" };
    const repeated = await send(endpoint, "tools/call", { name: "pay", arguments: {} }, key);
    expect(resultOf(repeated)).toEqual(client.payment);
    expect(textOf(resultOf(repeated))).toBe("Payment on old");
  });

  test("a call continues with its state and an answer", async () => {
    const { endpoint } = await start();
    const { requestState } = client;
    expect(textOf(await call(endpoint, "ask", { requestState, inputResponses: ADA }))).toBe("old Ada");
  });

  test("a finished task has its result, and one with a question continues with the answer", async () => {
    const { endpoint } = await start();
    const { quick, greet } = client.tasks;
    expect(await getTask(endpoint, quick)).toMatchObject({
      status: "completed",
      result: { content: [{ text: "quick" }] },
    });
    expect(await getTask(endpoint, greet)).toMatchObject({ status: "input_required" });
    resultOf(await send(endpoint, "tasks/update", { taskId: greet, inputResponses: ADA }));
    await expect
      .poll(async () => (await getTask(endpoint, greet))["result"], PATIENCE)
      .toMatchObject({ content: [{ text: "old Ada" }] });
  });

  test("this version writes all that the commit wrote, so that its nodes can continue after a rollback", async () => {
    seen.read.clear();
    const { endpoint, session, app } = await start();
    const pay = (key: string) =>
      send(endpoint, "tools/call", { name: "pay", arguments: {} }, { "idempotency-key": key });
    await allMessages(await session.get(client.lastCount));
    await readSome(await session.get(client.lastUpdate), 1);
    await call(endpoint, "ask", { requestState: client.requestState, inputResponses: ADA });
    await getTask(endpoint, client.tasks.quick);
    await pay("key-1");
    const old = Object.fromEntries(seen.read);
    seen.written.clear();
    await createTask(endpoint, "quick");
    await pay("key-2");
    await call(endpoint, "ask");
    await app.resourceUpdated("test://note");
    await allMessages(await (await openSession(endpoint, { headers: USER })).call("count", { to: 1 }));
    expect(Object.keys(old).toSorted()).toEqual([...seen.written.keys()].toSorted());
    for (const [kind, text] of Object.entries(old)) {
      const [before, after] = [membersOf(text), membersOf(seen.written.get(kind) ?? "")];
      expect(after, kind).toEqual(expect.arrayContaining([...before]));
      expect(after).not.toContain("format");
    }
  });

  test("tasks that were running are taken over by their policies", async () => {
    const { endpoint } = await start();
    const { report, careful } = client.tasks;
    await expect
      .poll(async () => (await getTask(endpoint, report))["result"], PATIENCE)
      .toMatchObject({ content: [{ text: "old" }] });
    await expect
      .poll(() => getTask(endpoint, careful), PATIENCE)
      .toMatchObject({
        status: "failed",
        error: { message: "The worker stopped before the task finished." },
      });
  });
});

const ADA = { name: { action: "accept", content: { name: "Ada" } } };

/** Returns the names of all members of a record that exist in every state of it. */
function membersOf(text: string): readonly string[] {
  const record = JSON.parse(text) as Readonly<Record<string, unknown>>;
  // The first entry of a stream has `requests`, and others have `data` or `isLast`.
  const optional = new Set(["requests", "data", "isLast", "result"]);
  return Object.entries(record).flatMap(([name, value]) => {
    const isFixed = ["request", "policy", "journal", "main"].includes(name);
    const inner = isFixed ? Object.keys(value as object).map((one) => `${name}.${one}`) : [];
    return optional.has(name) ? inner : [name, ...inner];
  });
}

/** Time for a worker to notice that another one is lost. */
const PATIENCE = { timeout: 40_000, interval: 50 };
