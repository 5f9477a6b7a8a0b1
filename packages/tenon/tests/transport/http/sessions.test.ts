import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../../src/core/define-server.js";
import { form } from "../../../src/core/call/forms.js";
import type { JsonObject } from "@tenon/internal/json";
import { REVISIONS } from "../../../src/protocol/index.js";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { allEvents, allMessages, readEvents } from "../../../../../tests/support/http-events.js";
import { type Endpoint, FACES, post, read, SHARED, until } from "../../../../../tests/support/http-faces.js";
import { initializeBody, openSession } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";

const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });
const ELICITATION = { elicitation: {} };
const LISTING = { accept: "text/event-stream" };

/** Server, and the calls that its tools observed. */
const setUp = () => {
  const seen = { started: 0, aborted: 0, release: () => {} };
  const gate = new Promise<void>((resolve) => {
    seen.release = resolve;
  });
  const server = defineServer({ name: "sessions", version: "1.0.0" })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("steps", {
      handler: async (_, call) => {
        for (const step of [1, 2, 3]) await call.log("info", step);
        return "done";
      },
    })
    .tool("later", {
      input: z.object({ text: z.string(), ms: z.number() }),
      handler: async ({ text, ms }, call) => {
        await call.log("info", text);
        await new Promise((resolve) => {
          setTimeout(resolve, ms);
        });
        return text;
      },
    })
    .tool("wait", {
      handler: async (_, call) => {
        seen.started++;
        call.signal.addEventListener("abort", () => seen.aborted++);
        await gate;
        return "waited";
      },
    })
    .tool("ask", {
      handler: async (_, call) => {
        const answer = await call.input("name", NAME);
        return answer.action === "accept" ? `Hello ${answer.content.name}` : "Never mind";
      },
    })
    .build();
  return { server, seen };
};

const refusal = (message: string, code = -32600) => ({ jsonrpc: "2.0", id: null, error: { code, message } });
const NOT_FOUND = {
  status: 404,
  body: refusal("Session not found. Send `initialize` to open a new session."),
};
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const listChanged = { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} };
const logged = (data: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data },
});

describe.each([...FACES, SHARED])("a session on $name", (face) => {
  test("T47: works alongside other sessions, from initialize through calls, streams, and invalid requests to its end", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    // Malformed requests do not open sessions.
    expect((await read(await endpoint.fetch(post("{")))).status).toBe(400);
    expect((await read(await endpoint.fetch(post('{"jsonrpc":"2.0","id":1}')))).status).toBe(400);

    const opened = await endpoint.fetch(post(initializeBody("2025-11-25")));
    expect(opened.status).toBe(200);
    expect(opened.headers.get("content-type")).toBe("application/json");
    expect(await opened.json()).toMatchObject({ id: "init", result: { protocolVersion: "2025-11-25" } });
    expect(opened.headers.get("mcp-session-id")).toMatch(/^[\w-]{32}$/);

    const [ada, bob] = [await openSession(endpoint), await openSession(endpoint)];
    expect(ada.id).not.toBe(bob.id);

    const called = await ada.call("echo", { text: "hi" });
    expect(called.headers.get("content-type")).toBe("application/json");
    expect(await called.json()).toEqual({ jsonrpc: "2.0", id: 1, result: text("hi") });

    const streamed = await ada.call("steps", {}, "s");
    expect(streamed.headers.get("content-type")).toBe("text/event-stream");
    expect(streamed.headers.get("x-accel-buffering")).toBe("no");
    expect(await allMessages(streamed)).toEqual([
      ...[1, 2, 3].map(logged),
      { jsonrpc: "2.0", id: "s", result: text("done") },
    ]);

    // The log level is kept, and only for this session.
    await (await ada.post(request("logging/setLevel", { level: "error" }, 2))).text();
    expect(await allMessages(await ada.call("steps"))).toHaveLength(1);
    expect(await allMessages(await bob.call("steps"))).toHaveLength(4);

    // A malformed request in a session does not end it.
    expect((await ada.post("{")).status).toBe(400);
    expect((await ada.call("echo", { text: "still here" })).status).toBe(200);

    const ended = await ada.end();
    expect(ended.status).toBe(204);
    expect(await ended.text()).toBe("");
    expect(await read(await ada.call("echo", { text: "hi" }))).toEqual(NOT_FOUND);
    expect(await read(await ada.get())).toEqual(NOT_FOUND);
    expect(await read(await ada.end())).toEqual(NOT_FOUND);
    expect((await bob.call("echo", { text: "hi" })).status).toBe(200);
  });

  test.each(["POST", "GET", "DELETE"])(
    "%s without a session id is 400, with an unknown one 404",
    async (method) => {
      const { server } = setUp();
      const endpoint = await face.open(server);
      const send = (headers: Record<string, string>) =>
        endpoint.fetch(
          method === "POST"
            ? post(request("ping"), headers)
            : { method, headers: { ...LISTING, ...headers } },
        );
      expect(await read(await send({}))).toEqual({
        status: 400,
        body: refusal("The Mcp-Session-Id header is required. Send `initialize` to open a session."),
      });
      for (const id of ["unknown", "a".repeat(32), "__proto__", "../.."]) {
        expect(await read(await send({ "mcp-session-id": id }))).toEqual(NOT_FOUND);
      }
    },
  );

  test.each(["POST", "GET", "DELETE"])("%s with an unsupported version header is 400", async (method) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const { headers } = await openSession(endpoint);
    for (const version of ["2099-01-01", "1.0", "2025-6-18"]) {
      const wrong = { ...headers, "mcp-protocol-version": version };
      const response = await endpoint.fetch(
        method === "POST" ? post(request("ping"), wrong) : { method, headers: { ...LISTING, ...wrong } },
      );
      expect(await read(response)).toEqual({
        status: 400,
        body: {
          jsonrpc: "2.0",
          id: null,
          error: {
            code: -32602,
            message: `Unsupported protocol version "${version}". Supported versions: ${REVISIONS.join(", ")}.`,
            data: { supported: [...REVISIONS], requested: version },
          },
        },
      });
    }
    expect((await endpoint.fetch(post(request("ping"), headers))).status).toBe(200);
  });

  test("a version header is not needed after initialize", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const { id } = await openSession(endpoint);
    expect((await endpoint.fetch(post(request("ping"), { "mcp-session-id": id }))).status).toBe(200);
  });

  test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("negotiates %s", async (revision) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const opened = await endpoint.fetch(post(initializeBody(revision)));
    expect(await opened.json()).toMatchObject({ result: { protocolVersion: revision } });
    expect(await (await openSession(endpoint, { revision })).call("echo", { text: "hi" })).toMatchObject({
      status: 200,
    });
  });

  test("responds with 202 if no reply is needed", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    for (const body of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "notifications/unknown" },
      { jsonrpc: "2.0", id: "nobody-asked", result: {} },
      { jsonrpc: "2.0", id: "nobody-asked", error: { code: 1, message: "no" } },
    ]) {
      const response = await client.post(body);
      expect(response.status).toBe(202);
      expect(await response.text()).toBe("");
    }
  });

  test("an ID is 192 random bits in visible ASCII and unique", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const ids = new Set<string>();
    for (let count = 0; count < 50; count++) ids.add((await openSession(endpoint)).id);
    expect(ids.size).toBe(50);
    expect([...ids].filter((id) => !/^[A-Za-z0-9_-]{32}$/.test(id))).toEqual([]);
    // Every position varies, so the IDs contain neither a counter nor a timestamp.
    for (let place = 0; place < 32; place++) {
      expect(new Set([...ids].map((id) => id[place])).size).toBeGreaterThan(10);
    }
  });
});

describe.each([...FACES, SHARED])("ownership of sessions on $name", (face) => {
  const withUsers = (server: ReturnType<typeof setUp>["server"]) =>
    face.open(server, {
      authenticate: ({ header }) => {
        const user = header("x-user");
        return typeof user === "string" ? { auth: { principal: user, scopes: [] } } : {};
      },
    });

  test.each(["eve", undefined, "ADA"])(
    "%s cannot distinguish a session of ada from an unknown one",
    async (user) => {
      const { server } = setUp();
      const endpoint = await withUsers(server);
      const ada = await openSession(endpoint, { headers: { "x-user": "ada" } });
      const stolen = { "mcp-session-id": ada.id, ...(user === undefined ? {} : { "x-user": user }) };
      expect(await read(await endpoint.fetch(post(request("ping"), stolen)))).toEqual(NOT_FOUND);
      for (const method of ["GET", "DELETE"]) {
        const response = await endpoint.fetch({ method, headers: { ...LISTING, ...stolen } });
        expect(await read(response)).toEqual(NOT_FOUND);
      }
      expect((await ada.call("echo", { text: "mine" })).status).toBe(200);
    },
  );

  test("a session without a principal is not available to a principal", async () => {
    const { server } = setUp();
    const endpoint = await withUsers(server);
    const { id } = await openSession(endpoint);
    const response = await endpoint.fetch(post(request("ping"), { "mcp-session-id": id, "x-user": "ada" }));
    expect(await read(response)).toEqual(NOT_FOUND);
  });

  test("concurrent sessions with the same request IDs receive their own replies", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const clients = await Promise.all(Array.from({ length: 8 }, () => openSession(endpoint)));
    const replies = await Promise.all(
      clients.map(async (client, index) =>
        allMessages(await client.call("later", { text: `mine-${index}`, ms: (8 - index) * 3 }, "same")),
      ),
    );
    for (const [index, messages] of replies.entries()) {
      expect(messages).toEqual([
        logged(`mine-${index}`),
        { jsonrpc: "2.0", id: "same", result: text(`mine-${index}`) },
      ]);
    }
  });

  test("a cancellation affects only calls in its own session", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server, { streamAfterMs: 1 });
    const [ada, bob] = [await openSession(endpoint), await openSession(endpoint)];
    const [hers, his] = [await ada.call("wait", {}, 5), await bob.call("wait", {}, 5)];
    await until(() => seen.started === 2);
    await ada.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    expect(await allMessages(hers)).toEqual([]);
    expect(seen.aborted).toBe(1);
    seen.release();
    expect(await allMessages(his)).toEqual([{ jsonrpc: "2.0", id: 5, result: text("waited") }]);
  });

  test("a duplicate request ID in one session is rejected while the first call is in flight", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server));
    const first = client.call("wait", {}, 5);
    await until(() => seen.started === 1);
    const second = await read(await client.call("wait", {}, 5));
    expect(second).toEqual({
      status: 400,
      body: { ...refusal("A call with this ID is already in flight. Use a new ID."), id: 5 },
    });
    seen.release();
    expect((await first).status).toBe(200);
  });
});

describe.each(FACES)("server-initiated messages on $name", (face) => {
  test("a request is sent on the call's stream, and its response arrives in a separate POST", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server), { capabilities: ELICITATION });
    const events = readEvents(await client.call("ask"));
    const question = await events.message();
    expect(question).toMatchObject({
      method: "elicitation/create",
      params: { message: "Who are you?", requestedSchema: { type: "object" } },
    });
    const answer = { action: "accept", content: { name: "Ada" } };
    const posted = await client.post({ jsonrpc: "2.0", id: question["id"], result: answer });
    expect(posted.status).toBe(202);
    expect(await events.message()).toEqual({ jsonrpc: "2.0", id: 1, result: text("Hello Ada") });
    expect(await events.next()).toBeUndefined();
  });

  test("a response from a different session is ignored", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const ada = await openSession(endpoint, { capabilities: ELICITATION });
    const eve = await openSession(endpoint, { capabilities: ELICITATION });
    const events = readEvents(await ada.call("ask"));
    const { id } = await events.message();
    const answer = (name: string) => ({
      jsonrpc: "2.0",
      id,
      result: { action: "accept", content: { name } },
    });
    expect((await eve.post(answer("Eve"))).status).toBe(202);
    expect((await ada.post(answer("Ada"))).status).toBe(202);
    expect(await events.message()).toMatchObject({ result: text("Hello Ada") });
  });

  test("the GET stream sends list changes", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    const response = await client.get();
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = readEvents(response);
    expect(await events.next()).toEqual({ id: "main_0", retry: "1000", data: "" });
    server.update((editor) => editor.tool("another", { handler: () => "" }));
    expect(await events.next()).toEqual({ id: "main_1", data: JSON.stringify(listChanged) });
    await events.cut();
  });

  test("changes without a listener are sent once to the next listener", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    server.update((editor) => editor.tool("another", { handler: () => "" }));
    const first = readEvents(await client.get());
    expect(await first.message()).toEqual(listChanged);
    await first.cut();
    const second = readEvents(await client.get());
    expect(await second.next()).toEqual({ id: "main_1", retry: "1000", data: "" });
    await client.end();
    expect(await second.rest()).toEqual([]);
  });

  test("a stream still works after more events were missed than are kept", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, { sessions: { streams: { maxEvents: 3, maxLength: 1_000 } } });
    const client = await openSession(endpoint);
    for (let count = 0; count < 9; count++)
      server.update((editor) => editor.tool(`t${count}`, { handler: () => "" }));
    const events = readEvents(await client.get());
    expect((await events.next())?.id).toBe("main_6");
    expect((await events.next())?.id).toBe("main_7");
    expect((await events.next())?.id).toBe("main_8");
    expect((await events.next())?.id).toBe("main_9");
    server.update((editor) => editor.tool("last", { handler: () => "" }));
    expect((await events.next())?.id).toBe("main_10");
    await events.cut();
  });

  test("a second GET takes over: the first ends, and nothing is sent twice", async () => {
    const { server } = setUp();
    const clock = createClock();
    const client = await openSession(await face.open(server, { ports: clock.ports }));
    const first = readEvents(await client.get());
    await first.next();
    const second = readEvents(await client.get());
    await second.next();
    expect(await first.rest()).toEqual([]);
    server.update((editor) => editor.tool("another", { handler: () => "" }));
    expect(await second.message()).toEqual(listChanged);
    // One sweep of sessions and one keep-alive: the first stream left no timer.
    await until(() => clock.timers === 2, "the end of the first stream's timer");
    clock.advance(15_000);
    expect(await second.next()).toEqual({ comment: "keep-alive" });
    await client.end();
    expect(await second.rest()).toEqual([]);
    await until(() => clock.timers === 1, "the end of the second stream's timer");
  });

  test.each([undefined, "application/json", "text/html"])(
    "GET requires an Accept header for event streams, not %s",
    async (accept) => {
      const { server } = setUp();
      const endpoint = await face.open(server);
      const { headers } = await openSession(endpoint);
      // Without an Accept header, `fetch` itself sends a star.
      const response = await endpoint.fetch({
        method: "GET",
        headers: { ...headers, accept: accept ?? "x/y" },
      });
      expect(await read(response)).toEqual({
        status: 406,
        body: refusal(`The Accept header must allow text/event-stream; got "${accept ?? "x/y"}".`),
      });
    },
  );

  test("ending a session cancels its calls and ends its streams", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server, { streamAfterMs: 1 });
    const client = await openSession(endpoint);
    const calling = await client.call("wait");
    const listening = await client.get();
    await until(() => seen.started === 1);
    await client.end();
    expect(await allMessages(calling)).toEqual([]);
    expect(await allMessages(listening)).toEqual([]);
    expect(seen.aborted).toBe(1);
  });

  test("a disconnect does not cancel calls", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server, { streamAfterMs: 1 }));
    const events = readEvents(await client.call("wait"));
    const priming = await events.next();
    await events.cut();
    await until(() => seen.started === 1);
    expect(seen.aborted).toBe(0);
    seen.release();
    const resumed = await client.get(priming?.id);
    expect(await allMessages(resumed)).toEqual([{ jsonrpc: "2.0", id: 1, result: text("waited") }]);
    expect(seen.aborted).toBe(0);
  });
});

describe.each([...FACES, SHARED])("the stateless option on $name", (face) => {
  const open = (server: ReturnType<typeof setUp>["server"]) => face.open(server, { legacy: "stateless" });

  test("initialize opens no session and declares no change notifications", async () => {
    const { server } = setUp();
    const response = await (await open(server)).fetch(post(initializeBody()));
    expect(response.headers.get("mcp-session-id")).toBeNull();
    const { result } = (await response.json()) as { readonly result: JsonObject };
    expect(result["protocolVersion"]).toBe("2025-11-25");
    expect(result["capabilities"]).toEqual({ tools: {}, logging: {} });
  });

  test.each(["GET", "DELETE"])("%s is 405", async (method) => {
    const { server } = setUp();
    const response = await (await open(server)).fetch({ method, headers: LISTING });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  test("every call is independent, and its stream cannot be resumed", async () => {
    const { server } = setUp();
    const endpoint = await open(server);
    const body = request("tools/call", { name: "steps", arguments: {} });
    const events = await allEvents(await endpoint.fetch(post(body)));
    expect(events.map((event) => Object.keys(event))).toEqual([["data"], ["data"], ["data"], ["data"]]);
  });

  test.each([
    [undefined, 200],
    ["2025-03-26", 200],
    ["2025-06-18", 400],
    ["2025-11-25", 400],
    ["2024-11-05", 400],
    ["2099-01-01", 400],
  ])("the header determines the revision: a batch with %s", async (version, status) => {
    const { server } = setUp();
    const endpoint = await open(server);
    const response = await endpoint.fetch(post([request("ping")], { "mcp-protocol-version": version }));
    expect(response.status).toBe(status);
  });

  test("a request cannot be sent to the client", async () => {
    const { server } = setUp();
    const body = request("tools/call", { name: "ask", arguments: {} });
    const { body: reply } = await read(await (await open(server)).fetch(post(body)));
    expect(reply["result"]).toEqual({
      ...text("This connection cannot send requests to the client, so it does not support elicitation."),
      isError: true,
    });
  });
});

describe.each([...FACES, SHARED])("batches on $name", (face) => {
  const revisionOf = (endpoint: Endpoint, revision: string) => openSession(endpoint, { revision });

  test("revision 2025-03-26 supports batches: each request gets a response, and other messages do not", async () => {
    const { server } = setUp();
    const client = await revisionOf(await face.open(server), "2025-03-26");
    const response = await client.post([
      request("ping", undefined, "a"),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      request("nothing", undefined, "b"),
    ]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([
      { jsonrpc: "2.0", id: "a", result: {} },
      { jsonrpc: "2.0", id: "b", error: { code: -32601, message: "Method not found: nothing" } },
    ]);
  });

  test("a batch that requires no reply is 202", async () => {
    const { server } = setUp();
    const client = await revisionOf(await face.open(server), "2025-03-26");
    const response = await client.post([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
    expect(response.status).toBe(202);
  });

  test("a batch whose calls send messages before the reply is a stream", async () => {
    const { server } = setUp();
    const client = await revisionOf(await face.open(server), "2025-03-26");
    const call = (id: number) => request("tools/call", { name: "steps", arguments: {} }, id);
    const messages = await allMessages(await client.post([call(1), call(2)]));
    expect(messages.filter(({ method }) => method === "notifications/message")).toHaveLength(6);
    expect(messages.filter(({ result }) => result !== undefined).map(({ id }) => id)).toEqual([1, 2]);
  });

  test.each([
    ["empty", [], "The batch is empty. Send at least one message."],
    [
      "too long",
      Array.from({ length: 101 }, (_, id) => request("ping", undefined, id)),
      "The batch has 101 messages (limit: 100). Split it into smaller batches.",
    ],
  ])("a batch that is %s is rejected", async (_what, batch, message) => {
    const { server } = setUp();
    const client = await revisionOf(await face.open(server), "2025-03-26");
    expect(await read(await client.post(batch))).toEqual({ status: 400, body: refusal(message) });
  });

  test.each(["2024-11-05", "2025-06-18", "2025-11-25"])("%s does not support batches", async (revision) => {
    const { server } = setUp();
    const client = await revisionOf(await face.open(server), revision);
    expect(await read(await client.post([request("ping")]))).toEqual({
      status: 400,
      body: refusal("This protocol version does not support batches. Send each message separately."),
    });
  });
});

describe.each(FACES)("the limits of sessions on $name", (face) => {
  test("at the limit, the session that was idle longest is closed", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, { sessions: { maxSessions: 2 } });
    const first = await openSession(endpoint);
    const second = await openSession(endpoint);
    await first.call("echo", { text: "used again" });
    const third = await openSession(endpoint);
    expect(await read(await second.call("echo", { text: "hi" }))).toEqual(NOT_FOUND);
    for (const client of [first, third]) expect((await client.call("echo", { text: "hi" })).status).toBe(200);
  });

  test("new sessions get status 503 if the limit is reached and all sessions are busy", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server, { sessions: { maxSessions: 2 } });
    const calling = await openSession(endpoint);
    const listening = await openSession(endpoint);
    const pending = calling.call("wait");
    await until(() => seen.started === 1);
    const events = readEvents(await listening.get());
    const refused = await endpoint.fetch(post(initializeBody()));
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(refused.headers.get("mcp-session-id")).toBeNull();
    expect(await read(refused)).toEqual({
      status: 503,
      body: refusal("Session limit reached (2). Raise `maxSessions` or close idle sessions."),
    });
    seen.release();
    expect((await pending).status).toBe(200);
    expect((await endpoint.fetch(post(initializeBody()))).status).toBe(200);
    await events.cut();
  });

  test("an idle session ends after half an hour, a used one continues", async () => {
    const { server } = setUp();
    const clock = createClock();
    const endpoint = await face.open(server, { ports: clock.ports });
    const idle = await openSession(endpoint);
    const used = await openSession(endpoint);
    clock.advance(20 * 60_000);
    expect((await used.call("echo", { text: "hi" })).status).toBe(200);
    clock.advance(20 * 60_000);
    expect(await read(await idle.call("echo", { text: "hi" }))).toEqual(NOT_FOUND);
    expect((await used.call("echo", { text: "hi" })).status).toBe(200);
    clock.advance(60 * 60_000);
    expect(clock.timers).toBe(0);
  });

  test("a session with a listener or a call is not idle, and its idle time counts from their end", async () => {
    const { server, seen } = setUp();
    const clock = createClock();
    const endpoint = await face.open(server, { ports: clock.ports, sessions: { idleMs: 1_000 } });
    const listening = await openSession(endpoint);
    const calling = await openSession(endpoint);
    const events = readEvents(await listening.get());
    await events.next();
    const pending = calling.call("wait");
    await until(() => seen.started === 1);
    clock.advance(20_000);
    seen.release();
    await (await pending).text();
    await events.cut();
    await until(() => clock.timers === 1, "the end of keep-alives");
    clock.advance(500);
    for (const client of [listening, calling])
      expect((await client.call("echo", { text: "hi" })).status).toBe(200);
    clock.advance(2_000);
    for (const client of [listening, calling])
      expect((await client.call("echo", { text: "hi" })).status).toBe(404);
  });
});
