import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../../src/core/define-server.js";
import { form } from "../../../src/core/call/forms.js";
import type { JsonObject } from "@tenon/internal/json";
import { META } from "../../../src/protocol/index.js";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { allEvents, allMessages, readEvents } from "../../../../../tests/support/http-events.js";
import { FACES, NODE, post, read, SERVED, until } from "../../../../../tests/support/http-faces.js";
import { initializeBody, modernCall, modernPost } from "../../../../../tests/support/http-messages.js";
import { exchange, openSocket, rawPost } from "../../../../../tests/support/http-raw.js";
import { MODERN, modernRequest, request } from "../../../../../tests/support/requests.js";

const SERVER_INFO = { [META.serverInfo]: { name: "modern", version: "1.0.0" } };
const PROGRESS = { progressToken: "p" };
const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

/** Server, and the calls that its tools observed. */
const setUp = () => {
  const seen = { started: 0, reasons: [] as unknown[], release: () => {} };
  const gate = new Promise<void>((resolve) => {
    seen.release = resolve;
  });
  const server = defineServer({ name: "modern", version: "1.0.0" })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("grüße", { handler: () => "Hallo" })
    .tool("steps", {
      handler: async (_, call) => {
        for (const step of [1, 2, 3]) await call.progress(step, 3);
        return "done";
      },
    })
    .tool("wait", {
      handler: async (_, call) => {
        seen.started++;
        call.signal.addEventListener("abort", () => seen.reasons.push(call.signal.reason));
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
    .tool("route", {
      input: z.object({
        region: z.string().meta({ "x-mcp-header": "Region" }).optional(),
        size: z.int().meta({ "x-mcp-header": "Size" }).optional(),
        dry: z.boolean().meta({ "x-mcp-header": "Dry" }).optional(),
      }),
      handler: () => "routed",
    })
    .tool("guarded", { scopes: ["admin"], handler: () => "secret" })
    .resource("file", { uri: "test://file", handler: () => "text" })
    .build();
  return { server, seen };
};

const text = (value: string) => ({
  resultType: "complete",
  _meta: SERVER_INFO,
  content: [{ type: "text", text: value }],
});

describe.each(FACES)("a stateless response's status on $name", (face) => {
  const version = (revision: string) => ({
    meta: { [META.protocolVersion]: revision },
    headers: { "mcp-protocol-version": revision },
  });
  const supported = { supported: [MODERN], requested: "2027-01-01" };

  const ROWS: readonly (readonly [string, RequestInit, number, JsonObject | undefined])[] = [
    ["a result", modernCall("echo", { text: "hi" }), 200, undefined],
    ["a list", modernPost("tools/list"), 200, undefined],
    ["discovery", modernPost("server/discover"), 200, undefined],
    [
      "a missing header",
      modernPost("tools/list", {}, { headers: { "mcp-method": undefined } }),
      400,
      { code: -32020, message: "The Mcp-Method header is required and must match the body." },
    ],
    [
      "a mismatched header",
      modernPost("tools/list", {}, { headers: { "mcp-method": "tools/call" } }),
      400,
      {
        code: -32020,
        message: 'The Mcp-Method header must match the body ("tools/list"); got "tools/call".',
      },
    ],
    [
      "a missing version header",
      modernPost("tools/list", {}, { headers: { "mcp-protocol-version": undefined } }),
      400,
      { code: -32020, message: "The MCP-Protocol-Version header is required and must match the body." },
    ],
    [
      "a version header with a different revision",
      modernPost("tools/list", {}, { headers: { "mcp-protocol-version": "2025-11-25" } }),
      400,
      {
        code: -32020,
        message: `The MCP-Protocol-Version header must match the body ("${MODERN}"); got "2025-11-25".`,
      },
    ],
    [
      "a capability that the client lacks",
      modernCall("ask"),
      400,
      {
        code: -32021,
        message: "The client does not support elicitation.",
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      },
    ],
    [
      "an unsupported version",
      modernPost("tools/list", {}, version("2027-01-01")),
      400,
      { code: -32022, message: "Unsupported protocol version", data: supported },
    ],
    [
      "an unknown method",
      modernPost("tools/destroy"),
      404,
      { code: -32601, message: "Method not found: tools/destroy" },
    ],
    ...["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "initialize"].map(
      (method): readonly [string, RequestInit, number, JsonObject] => [
        `${method}, which was removed`,
        modernPost(method),
        404,
        { code: -32601, message: `Method not found: ${method}` },
      ],
    ),
    [
      "a missing envelope",
      post(request("tools/list"), { "mcp-protocol-version": MODERN, "mcp-method": "tools/list" }),
      400,
      {
        code: -32602,
        message: `Protocol version ${MODERN} requires \`_meta\` with "${META.protocolVersion}" and "${META.clientCapabilities}".`,
      },
    ],
    [
      "an envelope without capabilities",
      modernPost("tools/list", {}, { meta: { [META.clientCapabilities]: undefined } }),
      400,
      { code: -32602, message: `\`_meta["${META.clientCapabilities}"]\` must be an object; got undefined.` },
    ],
    [
      "an envelope without version",
      modernPost("tools/list", {}, { meta: { [META.protocolVersion]: undefined } }),
      400,
      { code: -32602, message: `\`_meta["${META.protocolVersion}"]\` must be a string; got undefined.` },
    ],
    ["an unknown tool", modernCall("nothing"), 200, { code: -32602, message: "Unknown tool: nothing" }],
    [
      "a missing resource",
      modernPost("resources/read", { uri: "test://nothing" }),
      200,
      { code: -32602, message: "resource not found", data: { uri: "test://nothing" } },
    ],
    [
      "a bad cursor",
      modernPost("tools/list", { cursor: "nonsense" }),
      200,
      { code: -32602, message: "The cursor is invalid or outdated. Request the first page again." },
    ],
    [
      "a bad requestState",
      modernPost(
        "tools/call",
        { name: "ask", requestState: "nonsense" },
        { capabilities: { elicitation: {} } },
      ),
      200,
      { code: -32602, message: "`requestState` is invalid or expired. Start the call again without it." },
    ],
    [
      "initialize under a stateless version header",
      post(initializeBody(), { "mcp-protocol-version": MODERN }),
      400,
      {
        code: -32020,
        message: `\`initialize\` is not available in protocol version ${MODERN}. Send \`server/discover\` instead.`,
      },
    ],
    [
      "a batch with a stateless element",
      post([request("ping"), modernRequest("tools/list", {}, 2)]),
      400,
      {
        code: -32600,
        message: "A batch must not contain stateless requests. Send each request separately.",
      },
    ],
    [
      "a batch with a stateless notification",
      post([
        { jsonrpc: "2.0", method: "notifications/x", params: { _meta: { [META.protocolVersion]: MODERN } } },
      ]),
      400,
      {
        code: -32600,
        message: "A batch must not contain stateless requests. Send each request separately.",
      },
    ],
    [
      "a batch under a stateless version header",
      post([request("ping")], { "mcp-protocol-version": MODERN }),
      400,
      {
        code: -32600,
        message: `Protocol version ${MODERN} has no batches, and clients do not send responses. Send each request separately.`,
      },
    ],
  ];

  test.each(ROWS)("%s", async (_what, init, status, error) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const response = await endpoint.fetch(init);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("mcp-session-id")).toBeNull();
    const reply = await read(response);
    expect({ status: reply.status, error: reply.body["error"] }).toEqual({ status, error });
    const sent = JSON.parse(typeof init.body === "string" ? init.body : "") as { readonly id?: unknown };
    expect(reply.body["id"]).toBe(sent.id ?? null); // a batch has none
  });

  test("responds with 403 to a principal without the scopes, and with 200 to one with them", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, {
      authenticate: ({ header }) => ({ auth: { principal: "ada", scopes: [header("x-scope") ?? ""] } }),
    });
    const refused = await read(await endpoint.fetch(modernCall("guarded")));
    expect(refused.status).toBe(403);
    expect(refused.body["error"]).toEqual({
      code: -32600,
      message: 'Tool "guarded" requires these scopes: admin.',
      data: { requiredScopes: ["admin"] },
    });
    const served = await endpoint.fetch(modernCall("guarded", {}, { headers: { "x-scope": "admin" } }));
    expect(served.status).toBe(200);
  });

  test.each(["GET", "DELETE"])("405 for %s with a stateless version header", async (method) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const response = await endpoint.fetch({ method, headers: { "mcp-protocol-version": MODERN } });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(await response.text()).toBe("");
  });

  test.each([
    ["by its header", {}],
    ["by its envelope", { _meta: { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} } }],
  ])("202 for a notification that is stateless %s", async (_how, params) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const body = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    const headers = Object.keys(params).length === 0 ? { "mcp-protocol-version": MODERN } : {};
    const response = await endpoint.fetch(post(body, headers));
    expect(response.status).toBe(202);
    expect(await response.text()).toBe("");
  });
});

describe.each(FACES)("headers on $name", (face) => {
  const base64 = (value: string) => `=?base64?${Buffer.from(value).toString("base64")}?=`;
  const mismatch = (expected: string, got: string) =>
    `The Mcp-Name header must match the body ("${expected}"); got "${got}".`;
  const malformed = (raw: string, name = "Mcp-Name") =>
    `The ${name} header must be printable ASCII or "=?base64?<UTF-8 in base64>?="; got "${raw}".`;

  test.each([
    ["echo", "echo", undefined],
    ["echo", "  echo\t", undefined],
    ["echo", base64("echo"), undefined],
    ["echo", undefined, "The Mcp-Name header is required and must match the body."],
    ["echo", "", mismatch("echo", "")],
    ["echo", "Echo", mismatch("echo", "Echo")],
    ["echo", base64("other"), mismatch("echo", "other")],
    ["echo", base64("echo").replace("=?=", "?="), malformed("=?base64?ZWNobw=?=")],
    ["echo", "=?base64?ZWNobw?=", malformed("=?base64?ZWNobw?=")],
    ["echo", "=?base64?ZWNobw=?=", malformed("=?base64?ZWNobw=?=")],
    ["echo", "=?base64?ZWNobx==?=", malformed("=?base64?ZWNobx==?=")],
    ["echo", "=?base64?ZWN obw==?=", malformed("=?base64?ZWN obw==?=")],
    ["echo", "=?base64?ZWNo_w==?=", malformed("=?base64?ZWNo_w==?=")],
    ["echo", "=?base64?/w==?=", malformed("=?base64?/w==?=")],
    ["echo", "=?BASE64?ZWNobw==?=", mismatch("echo", "=?BASE64?ZWNobw==?=")],
    ["echo", "=?base64?ZWNobw==", mismatch("echo", "=?base64?ZWNobw==")],
    ["grüße", base64("grüße"), undefined],
    ["grüße", "gr\u00fc\u00dfe", malformed("gr??e")],
    ["grüße", "gruesse", mismatch("grüße", "gruesse")],
  ])("the tool %s with the Mcp-Name header %j", async (name, header, message) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const args = name === "echo" ? { text: "hi" } : {};
    const { status, body } = await read(
      await endpoint.fetch(modernCall(name, args, { headers: { "mcp-name": header } })),
    );
    expect({ status, error: body["error"] }).toEqual(
      message === undefined
        ? { status: 200, error: undefined }
        : { status: 400, error: { code: -32020, message } },
    );
  });

  test.each([
    [{}, {}, undefined],
    [{ region: "eu" }, { "mcp-param-region": "eu" }, undefined],
    [{ region: "eu" }, {}, 'The mcp-param-region header is required when the argument "region" is sent.'],
    [
      { region: "eu" },
      { "mcp-param-region": "us" },
      'The mcp-param-region header does not match the argument "region".',
    ],
    [
      {},
      { "mcp-param-region": "eu" },
      'The mcp-param-region header requires the argument "region". Send both or neither.',
    ],
    [{ region: "zürich" }, { "mcp-param-region": base64("zürich") }, undefined],
    [
      { region: "zürich" },
      { "mcp-param-region": base64("zürich").replaceAll("=?=", "?=") },
      malformed(base64("zürich").replaceAll("=?=", "?="), "mcp-param-region"),
    ],
    [{ size: 5 }, { "mcp-param-size": "5" }, undefined],
    [{ size: 5 }, { "mcp-param-size": "5.0" }, undefined],
    [{ size: 5 }, { "mcp-param-size": "05" }, undefined],
    [
      { size: 5 },
      { "mcp-param-size": "5x" },
      'The mcp-param-size header does not match the argument "size".',
    ],
    [{ dry: true }, { "mcp-param-dry": "true" }, undefined],
    [
      { dry: true },
      { "mcp-param-dry": "TRUE" },
      'The mcp-param-dry header does not match the argument "dry".',
    ],
  ])("the arguments %j with the headers %j", async (args, headers, message) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const { status, body } = await read(await endpoint.fetch(modernCall("route", args, { headers })));
    expect({ status, error: body["error"] }).toEqual(
      message === undefined
        ? { status: 200, error: undefined }
        : { status: 400, error: { code: -32020, message } },
    );
  });

  test("a resource's Mcp-Name header is its URI", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const named = modernPost("resources/read", { uri: "test://file" });
    expect((await endpoint.fetch(named)).status).toBe(200);
    const unnamed = modernPost("resources/read", { uri: "test://file" }, { headers: { "mcp-name": "file" } });
    expect((await endpoint.fetch(unnamed)).status).toBe(400);
  });
});

describe.each(FACES)("JSON or an event stream on $name", (face) => {
  test("a result without earlier messages is JSON", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const response = await endpoint.fetch(modernCall("echo", { text: "hi" }));
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: text("hi") });
  });

  test("messages before the result make it an event stream without IDs", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const response = await endpoint.fetch(modernCall("steps", {}, { meta: PROGRESS, id: "s" }));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    const events = await allEvents(response);
    expect(events.map((event) => Object.keys(event))).toEqual([["data"], ["data"], ["data"], ["data"]]);
    expect(events.map(({ data = "" }) => JSON.parse(data) as unknown)).toEqual([
      ...[1, 2, 3].map((progress) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "p", progress, total: 3 },
      })),
      { jsonrpc: "2.0", id: "s", result: text("done") },
    ]);
  });

  test("a call without a result after 5 s opens its stream and sends keep-alives every 15 s", async () => {
    const { server, seen } = setUp();
    const clock = createClock();
    const endpoint = await face.open(server, { ports: clock.ports });
    const pending = endpoint.fetch(modernCall("wait"));
    await until(() => seen.started === 1);
    clock.advance(4_999);
    expect(await Promise.race([pending, Promise.resolve("nothing yet")])).toBe("nothing yet");
    clock.advance(1);
    const response = await pending;
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = readEvents(response);
    clock.advance(15_000);
    expect(await events.next()).toEqual({ comment: "keep-alive" });
    clock.advance(30_000);
    expect(await events.next()).toEqual({ comment: "keep-alive" });
    expect(await events.next()).toEqual({ comment: "keep-alive" });
    seen.release();
    expect(await events.message()).toEqual({ jsonrpc: "2.0", id: 1, result: text("waited") });
    expect(await events.next()).toBeUndefined();
    await until(() => clock.timers === 0, "the end of all timers");
  });

  test("both times are configurable", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server, { streamAfterMs: 10, keepAliveMs: 5 });
    const events = readEvents(await endpoint.fetch(modernCall("wait")));
    expect(await events.next()).toEqual({ comment: "keep-alive" });
    seen.release();
    expect(await events.message()).toMatchObject({ id: 1 });
  });

  test("a call that ends in time leaves no timer behind", async () => {
    const { server, seen } = setUp();
    const clock = createClock();
    const endpoint = await face.open(server, { ports: clock.ports });
    const pending = endpoint.fetch(modernCall("wait"));
    await until(() => seen.started === 1);
    seen.release();
    expect(await read(await pending)).toMatchObject({ status: 200 });
    expect(clock.timers).toBe(0);
  });
});

describe.each(FACES)("a client that disconnects, on $name", (face) => {
  test("cancels its call while it waits for JSON", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server);
    const leave = new AbortController();
    const pending = endpoint.fetch(modernCall("wait", {}, { signal: leave.signal }));
    await until(() => seen.started === 1);
    leave.abort();
    await pending.then(
      (response) => expect(response.status).toBe(499),
      (error: unknown) => expect(error).toMatchObject({ name: "AbortError" }),
    );
    await until(() => seen.reasons.length === 1, "the abort of call.signal");
  });

  test("cancels its call while it reads the stream", async () => {
    const { server, seen } = setUp();
    const clock = createClock();
    const endpoint = await face.open(server, { ports: clock.ports });
    const pending = endpoint.fetch(modernCall("wait"));
    await until(() => seen.started === 1);
    clock.advance(5_000);
    const events = readEvents(await pending);
    clock.advance(15_000);
    await events.next();
    await events.cut();
    await until(() => seen.reasons.length === 1, "the abort of call.signal");
    expect(seen.reasons).toEqual([new Error("The client disconnected.")]);
    await until(() => clock.timers === 0, "the end of all timers");
  });

  test("does not cancel a different client's call with the same ID", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server);
    const leave = new AbortController();
    const leaving = endpoint.fetch(modernCall("wait", {}, { signal: leave.signal, id: "same" }));
    leaving.catch(() => undefined);
    const staying = endpoint.fetch(modernCall("wait", {}, { id: "same" }));
    await until(() => seen.started === 2);
    leave.abort();
    await until(() => seen.reasons.length === 1);
    seen.release();
    expect(await (await staying).json()).toEqual({ jsonrpc: "2.0", id: "same", result: text("waited") });
    expect(seen.reasons).toHaveLength(1);
  });
});

test.each([NODE, SERVED])("an asynchronous call that reads no signal creates none, $name", async (face) => {
  const server = defineServer({ name: "modern", version: "1.0.0" })
    .tool("later", { handler: () => Promise.resolve("later") })
    .build();
  const endpoint = await face.open(server);
  const socket = await openSocket(endpoint.port);
  const body = JSON.stringify(modernRequest("tools/call", { name: "later" }));
  const headers = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "later" };
  const { AbortController: Original } = globalThis;
  let created = 0;
  globalThis.AbortController = class extends Original {
    constructor() {
      super();
      created++;
    }
  };
  try {
    const replies = await exchange(socket, rawPost(body, { ...headers, Connection: "close" }));
    expect(replies).toMatchObject([{ status: 200 }]);
  } finally {
    globalThis.AbortController = Original;
  }
  expect(created).toBe(0);
});

test.each([NODE, SERVED])("a closed socket cancels the call on it, $name", async (face) => {
  const { server, seen } = setUp();
  const { port } = await face.open(server);
  const socket = await openSocket(port);
  const body = JSON.stringify(modernRequest("tools/call", { name: "wait" }));
  const headers = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "wait" };
  const replies = exchange(socket, rawPost(body, headers));
  await until(() => seen.started === 1);
  socket.destroy();
  await until(() => seen.reasons.length === 1);
  expect(await replies).toEqual([]);
});

test.each([NODE, SERVED])(
  "a closed socket with many queued requests cancels the call on it, $name",
  async (face) => {
    const { server, seen } = setUp();
    const { port } = await face.open(server);
    const socket = await openSocket(port);
    const headers = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "wait" };
    const calls = Array.from({ length: 20 }, (_, id) =>
      rawPost(JSON.stringify(modernRequest("tools/call", { name: "wait" }, id)), headers),
    );
    socket.write(calls.join(""));
    await until(() => seen.started === 20);
    socket.destroy();
    await until(() => seen.reasons.length === 20, "the end of all calls");
  },
);

test.each(FACES)("a client that disconnects during authentication starts no call, $name", async (face) => {
  const { server, seen } = setUp();
  let asked = 0;
  let known: (found: object) => void = () => {};
  const endpoint = await face.open(server, {
    authenticate: () => {
      asked++;
      return new Promise((resolve) => {
        known = resolve;
      });
    },
  });
  const leave = new AbortController();
  const leaving = endpoint.fetch(modernCall("wait", {}, { signal: leave.signal }));
  leaving.catch(() => undefined);
  await until(() => asked === 1);
  leave.abort();
  const moment = () =>
    new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  // A socket reports its close a moment later.
  await moment();
  known({});
  await moment();
  expect(seen.started).toBe(0);
});

describe.each(FACES)("subscriptions/listen on $name", (face) => {
  const listen = (notifications: JsonObject, id: string | number = "sub", signal?: AbortSignal) =>
    modernPost(
      "subscriptions/listen",
      { notifications },
      { id, ...(signal === undefined ? {} : { signal }) },
    );
  const marked = (id: string | number) => ({ [META.subscriptionId]: id });

  test("acknowledges, sends changes, and ends gracefully when the server closes", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const response = await endpoint.fetch(
      listen({
        toolsListChanged: true,
        promptsListChanged: false,
        resourceSubscriptions: ["test://file"],
        other: true,
      }),
    );
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    const events = readEvents(response);
    expect(await events.message()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ["test://file"] },
        _meta: marked("sub"),
      },
    });
    server.update((editor) => editor.tool("another", { handler: () => "" }));
    expect(await events.message()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: marked("sub") },
    });
    void server.resourceUpdated("test://other");
    void server.resourceUpdated("test://file");
    expect(await events.message()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: "test://file", _meta: marked("sub") },
    });
    server.close();
    expect(await events.message()).toEqual({
      jsonrpc: "2.0",
      id: "sub",
      result: { resultType: "complete", _meta: { ...SERVER_INFO, ...marked("sub") } },
    });
    expect(await events.next()).toBeUndefined();
  });

  test("keeps the ID's type and sends keep-alives", async () => {
    const { server } = setUp();
    const clock = createClock();
    const endpoint = await face.open(server, { ports: clock.ports });
    const events = readEvents(await endpoint.fetch(listen({ toolsListChanged: true }, 7)));
    expect(await events.message()).toMatchObject({ params: { _meta: marked(7) } });
    clock.advance(15_000);
    expect(await events.next()).toEqual({ comment: "keep-alive" });
    await events.cut();
    await until(() => clock.timers === 0, "the end of all timers");
  });

  test("two listeners with the same ID each receive every change once", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const readers = [
      readEvents(await endpoint.fetch(listen({ toolsListChanged: true }, 1))),
      readEvents(await endpoint.fetch(listen({ toolsListChanged: true }, 1))),
    ];
    server.update((editor) => editor.tool("another", { handler: () => "" }));
    server.close();
    for (const reader of readers) {
      const methods = (await reader.rest()).map(
        ({ data = "{}" }) => (JSON.parse(data) as JsonObject)["method"],
      );
      expect(methods).toEqual([
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
        undefined,
      ]);
    }
  });
});

describe.each(FACES)("input requests in rounds on $name", (face) => {
  test("a call that requires input requests it, and continues with the response", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const capabilities = { elicitation: {} };
    const asked = await read(await endpoint.fetch(modernCall("ask", {}, { capabilities, id: "first" })));
    expect(asked.status).toBe(200);
    const result = asked.body["result"] as JsonObject;
    expect(result).toMatchObject({
      resultType: "input_required",
      inputRequests: { name: { method: "elicitation/create", params: { message: "Who are you?" } } },
    });
    const { requestState } = result;
    const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
    const params = { name: "ask", arguments: {}, requestState, inputResponses };
    const answered = await endpoint.fetch(modernPost("tools/call", params, { capabilities, id: "second" }));
    expect(await allMessages(answered)).toEqual([
      { jsonrpc: "2.0", id: "second", result: text("Hello Ada") },
    ]);
  });

  test("a response from a different principal is rejected", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, {
      authenticate: ({ header }) => ({ auth: { principal: header("x-user") ?? "", scopes: [] } }),
    });
    const capabilities = { elicitation: {} };
    const headers = { "x-user": "ada" };
    const asked = await read(await endpoint.fetch(modernCall("ask", {}, { capabilities, headers })));
    const { requestState } = asked.body["result"] as JsonObject;
    const inputResponses = { name: { action: "decline" } };
    const params = { name: "ask", arguments: {}, requestState, inputResponses };
    const stolen = await endpoint.fetch(
      modernPost("tools/call", params, { capabilities, headers: { "x-user": "eve" } }),
    );
    expect((await read(stolen)).body["error"]).toEqual({
      code: -32602,
      message: "`requestState` is invalid or expired. Start the call again without it.",
    });
    const own = await endpoint.fetch(modernPost("tools/call", params, { capabilities, headers }));
    expect((await read(own)).body["result"]).toEqual(text("Never mind"));
  });
});
