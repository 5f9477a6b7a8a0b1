import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { defineServer } from "../../src/core/define-server.js";
import { META } from "../../src/protocol/index.js";
import type { Authenticated } from "../../src/transport/http/authorization.js";
import type { CredentialLifetime } from "../../src/transport/http/limits/credential-lifetime.js";
import type { HttpOptions } from "../../src/transport/http/options.js";
import { createClock } from "../../../../tests/support/http-clock.js";
import {
  allMessages,
  type EventReader,
  messagesOf,
  readEvents,
} from "../../../../tests/support/http-events.js";
import { FACES, type Face, FETCH, post, read, SHARED, until } from "../../../../tests/support/http-faces.js";
import {
  initializeBody,
  type LegacyClient,
  modernCall,
  modernPost,
  openSession,
} from "../../../../tests/support/http-messages.js";
import { request } from "../../../../tests/support/requests.js";
import { CAPABILITIES, taskServer } from "../support/tasks/task-client.js";

const INFO = { name: "lifetime", version: "1.0.0" };
const EXPIRY = 10_000;
const LOGGING = { [META.logLevel]: "info" };
const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} };
const TRANSPORTS = [...FACES, SHARED];

/** Server with a call that waits, and an endpoint whose credentials can end. */
async function setUp(face: Face, options: HttpOptions<unknown> = {}) {
  const clock = createClock();
  const revocation = new AbortController();
  const seen = { aborted: 0, release: () => {} };
  const gate = new Promise<void>((resolve) => {
    seen.release = resolve;
  });
  const server = defineServer(INFO)
    .tool("slow", {
      handler: async (_, call) => {
        call.signal.addEventListener("abort", () => seen.aborted++);
        await call.log("info", "begun");
        await gate;
        return "done";
      },
    })
    .build();
  const lifetimes: Record<string, CredentialLifetime> = {
    expiring: { validUntil: EXPIRY },
    revocable: { revoked: revocation.signal },
    lasting: {},
  };
  const endpoint = await face.open(server, {
    ports: clock.ports,
    authenticate: ({ header }): Authenticated<unknown> => {
      const lifetime = lifetimes[header("authorization") ?? ""];
      if (lifetime === undefined) return { status: 401, message: "unknown" };
      return { auth: { principal: "ada", scopes: [] }, ...lifetime };
    },
    ...options,
  });
  let changes = 0;
  return {
    endpoint,
    clock,
    seen,
    revoked: revocation.signal,
    revoke: () => revocation.abort(),
    /** Changes the list of tools, which notifies all clients. */
    change: () => server.update((editor) => editor.tool(`tool${++changes}`, { handler: () => "" })),
  };
}

type Stage = Awaited<ReturnType<typeof setUp>>;

/** The two ways in which credentials end. */
const ENDS: readonly { how: string; token: string; end: (stage: Stage) => void }[] = [
  { how: "expire", token: "expiring", end: ({ clock }) => clock.advance(EXPIRY) },
  { how: "are revoked", token: "revocable", end: ({ revoke }) => revoke() },
];

const as = (authorization: string) => ({ authorization });

const listenTo = (notifications: JsonObject, authorization: string, capabilities: JsonObject = {}) =>
  modernPost(
    "subscriptions/listen",
    { notifications },
    { id: "sub", headers: as(authorization), capabilities },
  );

/** Sends a GET request in a client's session with other credentials. */
const getAs = (client: LegacyClient, authorization: string, lastEventId?: string): RequestInit => ({
  method: "GET",
  headers: {
    ...client.headers,
    ...as(authorization),
    accept: "text/event-stream",
    ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
  },
});

/** Reads the next event with data. @throws if the stream ends first */
async function nextEvent(events: EventReader) {
  for (let event = await events.next(); event !== undefined; event = await events.next())
    if (event.data !== undefined && event.data !== "") return event;
  throw new Error("The stream ended before the next event.");
}

describe.each(TRANSPORTS)("on $name", (face) => {
  describe.each(ENDS)("when the credentials $how", ({ token, end }) => {
    test("`subscriptions/listen` ends with its result and sends no later change", async () => {
      const stage = await setUp(face);
      const response = await stage.endpoint.fetch(listenTo({ toolsListChanged: true }, token));
      const events = readEvents(response);
      expect(await events.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
      stage.clock.advance(EXPIRY - 1);
      stage.change();
      expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
      end(stage);
      stage.change();
      expect(messagesOf(await events.rest())).toEqual([
        {
          jsonrpc: "2.0",
          id: "sub",
          result: {
            resultType: "complete",
            _meta: { [META.serverInfo]: INFO, [META.subscriptionId]: "sub" },
          },
        },
      ]);
    });

    test("a session's stream ends, and new credentials continue it without loss", async () => {
      const stage = await setUp(face);
      const client = await openSession(stage.endpoint, { headers: as(token) });
      const events = readEvents(await client.get());
      stage.change();
      const { id = "", data = "" } = await nextEvent(events);
      expect(JSON.parse(data)).toEqual(CHANGED);
      end(stage);
      stage.change();
      expect(messagesOf(await events.rest())).toEqual([]);
      const renewed = readEvents(await stage.endpoint.fetch(getAs(client, "lasting", id)));
      expect(await renewed.message()).toEqual(CHANGED);
      stage.change();
      expect(await renewed.message()).toEqual(CHANGED);
      await renewed.cut();
    });

    test("events of a session wait for a stream that is opened without an event ID", async () => {
      const stage = await setUp(face);
      const client = await openSession(stage.endpoint, { headers: as(token) });
      const events = readEvents(await client.get());
      stage.change();
      expect(await events.message()).toEqual(CHANGED);
      end(stage);
      stage.change();
      expect(messagesOf(await events.rest())).toEqual([]);
      const renewed = readEvents(await stage.endpoint.fetch(getAs(client, "lasting")));
      expect(await renewed.message()).toEqual(CHANGED);
      await renewed.cut();
    });

    test("a resumed stream of a call ends, and new credentials receive the result", async () => {
      const stage = await setUp(face);
      const client = await openSession(stage.endpoint, { headers: as("lasting") });
      const posted = readEvents(await client.call("slow"));
      const { id } = await nextEvent(posted);
      await posted.cut();
      const resumed = readEvents(await stage.endpoint.fetch(getAs(client, token, id)));
      end(stage);
      stage.seen.release();
      expect(messagesOf(await resumed.rest())).toEqual([]);
      const renewed = await stage.endpoint.fetch(getAs(client, "lasting", id));
      expect(await allMessages(renewed)).toMatchObject([{ id: 1, result: { content: [{ text: "done" }] } }]);
    });

    test("the stream of the HTTP+SSE transport ends with its session", async () => {
      const stage = await setUp(face, { legacySse: true });
      const opened = await stage.endpoint.fetch({ method: "GET", headers: as(token) }, "/sse");
      const events = readEvents(opened);
      const path = (await events.next())?.data ?? "";
      const send = (body: unknown, authorization: string) =>
        stage.endpoint.fetch(post(body, as(authorization)), path);
      expect((await send(initializeBody("2024-11-05"), token)).status).toBe(202);
      expect(await events.message()).toMatchObject({ id: "init" });
      await send(request("tools/call", { name: "slow" }), token);
      expect(await events.message()).toMatchObject({ method: "notifications/message" });
      end(stage);
      stage.change();
      expect(messagesOf(await events.rest())).toEqual([]);
      await until(() => stage.seen.aborted === 1, "the end of the session's call");
      await expect
        .poll(async () => (await send(request("ping"), "lasting")).status, { timeout: 10_000 })
        .toBe(404);
    });
  });

  describe("a call in flight", () => {
    const callOf = (token: string) => modernCall("slow", {}, { headers: as(token), meta: LOGGING });

    test("delivers its response after its credentials expired, in both eras", async () => {
      const stage = await setUp(face);
      const client = await openSession(stage.endpoint, { headers: as("expiring") });
      const streams = [
        readEvents(await client.call("slow")),
        readEvents(await stage.endpoint.fetch(callOf("expiring"))),
      ];
      for (const stream of streams) await nextEvent(stream);
      stage.clock.advance(EXPIRY);
      stage.change();
      stage.seen.release();
      for (const stream of streams) {
        expect(messagesOf(await stream.rest())).toMatchObject([
          { id: 1, result: { content: [{ text: "done" }] } },
        ]);
      }
    });

    test("is cancelled when its credentials are revoked, if it is stateless", async () => {
      const stage = await setUp(face);
      const events = readEvents(await stage.endpoint.fetch(callOf("revocable")));
      await nextEvent(events);
      stage.revoke();
      await until(() => stage.seen.aborted === 1, "the cancellation");
      expect(messagesOf(await events.rest())).toEqual([]);
    });

    test("loses its stream when its credentials are revoked, and can be resumed in its session", async () => {
      const stage = await setUp(face);
      const client = await openSession(stage.endpoint, { headers: as("revocable") });
      const events = readEvents(await client.call("slow"));
      const { id } = await nextEvent(events);
      stage.revoke();
      expect(messagesOf(await events.rest())).toEqual([]);
      stage.seen.release();
      const renewed = await stage.endpoint.fetch(getAs(client, "lasting", id));
      expect(await allMessages(renewed)).toMatchObject([{ id: 1, result: { content: [{ text: "done" }] } }]);
      expect(stage.seen.aborted).toBe(0);
    });
  });

  test("a request with revoked credentials is rejected", async () => {
    const stage = await setUp(face);
    stage.revoke();
    const response = await stage.endpoint.fetch(modernCall("slow", {}, { headers: as("revocable") }));
    expect(response.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    expect(await read(response)).toEqual({
      status: 401,
      body: {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32600, message: "The credentials have been revoked. Authenticate again." },
      },
    });
  });

  test("a stream with expired credentials ends without events, which a later stream receives", async () => {
    const stage = await setUp(face);
    const client = await openSession(stage.endpoint, { headers: as("expiring") });
    const events = readEvents(await client.get());
    stage.change();
    const { id = "" } = await nextEvent(events);
    stage.clock.advance(EXPIRY);
    await events.rest();
    stage.change();
    for (const lastEventId of [id, undefined]) {
      const late = await stage.endpoint.fetch(getAs(client, "expiring", lastEventId));
      expect(await allMessages(late)).toEqual([]);
    }
    const renewed = readEvents(await stage.endpoint.fetch(getAs(client, "lasting")));
    expect(await renewed.message()).toEqual(CHANGED);
    await renewed.cut();
    const response = await stage.endpoint.fetch(listenTo({ toolsListChanged: true }, "expiring"));
    expect(await allMessages(response)).toMatchObject([{ id: "sub", result: { resultType: "complete" } }]);
  });

  test("streams that have ended leave no timer and no listener", async () => {
    const stage = await setUp(face, { legacySse: true, keepAliveMs: 1_000_000 });
    const client = await openSession(stage.endpoint, { headers: as("revocable") });
    const timers = stage.clock.timers;
    const listeners = () => getEventListeners(stage.revoked, "abort").length;
    const opened = [
      await stage.endpoint.fetch(listenTo({ toolsListChanged: true }, "expiring")),
      await stage.endpoint.fetch(listenTo({ toolsListChanged: true }, "revocable")),
      await client.get(),
      await client.call("slow"),
      await stage.endpoint.fetch(modernCall("slow", {}, { headers: as("revocable"), meta: LOGGING })),
      await stage.endpoint.fetch({ method: "GET", headers: as("revocable") }, "/sse"),
      await stage.endpoint.fetch({ method: "GET", headers: as("expiring") }, "/sse"),
    ];
    expect(listeners()).toBe(1); // shared by five streams
    expect(stage.clock.timers).toBeGreaterThan(timers);
    for (const response of opened) await response.body?.cancel();
    stage.seen.release();
    await until(() => listeners() === 0, "the end of all listeners");
    await client.end();
    await until(() => stage.clock.timers <= timers, "the end of all timers");
  });
});

test("the stream of a task ends with its credentials", async () => {
  const clock = createClock();
  let advance = () => {};
  const gate = new Promise<void>((resolve) => {
    advance = resolve;
  });
  const server = taskServer()
    .tool("work", {
      task: "optional",
      handler: async (_, call) => {
        await gate;
        await call.progress(1, 2, "half");
        return "done";
      },
    })
    .build();
  const endpoint = await FETCH.open(server, {
    ports: clock.ports,
    authenticate: () => ({ auth: { principal: "ada", scopes: [], expiresAt: EXPIRY } }),
  });
  const created = await read(await endpoint.fetch(modernCall("work", {}, { capabilities: CAPABILITIES })));
  const { taskId } = created.body["result"] as { readonly taskId: string };
  const response = await endpoint.fetch(listenTo({ taskIds: [taskId] }, "any", CAPABILITIES));
  const events = readEvents(response);
  expect(await events.message()).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
  expect(await events.message()).toMatchObject({ method: "notifications/tasks" });
  clock.advance(EXPIRY);
  advance();
  expect(messagesOf(await events.rest())).toMatchObject([{ id: "sub", result: { resultType: "complete" } }]);
});

test("`validUntil` replaces the expiration time of the caller", async () => {
  const clock = createClock();
  const server = defineServer(INFO)
    .tool("one", { handler: () => "" })
    .build();
  const endpoint = await FETCH.open(server, {
    ports: clock.ports,
    authenticate: () => ({
      auth: { principal: "ada", scopes: [], expiresAt: EXPIRY },
      validUntil: EXPIRY + 5_000,
    }),
  });
  const events = readEvents(await endpoint.fetch(listenTo({ toolsListChanged: true }, "any")));
  await events.message();
  clock.advance(EXPIRY + 4_999);
  server.update((editor) => editor.tool("two", { handler: () => "" }));
  expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  clock.advance(1);
  expect(messagesOf(await events.rest())).toMatchObject([{ id: "sub" }]);
});
