import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { type Change, ChangeFeed } from "../../src/core/wire/changes.js";
import { Connection } from "../../src/core/wire/connection.js";
import { defineServer } from "../../src/core/define-server.js";
import type { Exchange } from "../../src/core/wire/exchange.js";
import { attachConnection } from "../../src/core/methods/subscriptions.js";
import { Server } from "../../src/core/server.js";
import { createServices } from "../../src/core/services.js";
import { parseOptions } from "@tenon/internal/options/define-options";
import { SERVER_OPTIONS } from "../../src/core/definitions/options.js";
import type { JsonObject } from "@tenon/internal/json";
import {
  type JsonRpcNotification,
  LEGACY_REVISIONS,
  META,
  type RequestId,
  type Revision,
  TRAITS,
} from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import { ClientError } from "../../src/client/errors.js";
import { openMemoryTransport } from "../../src/transport/memory/memory-transport.js";

const INFO = { name: "subscriptions", version: "1.0.0" };
const MODERN = "2026-07-28";
const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const SERVER_META = { [META.serverInfo]: INFO };

const newServer = () =>
  defineServer(INFO)
    .tool("one", { handler: () => "1" })
    .prompt("one", { handler: () => "1" })
    .resource("one", { uri: "test://one", handler: () => "1" })
    .resourceTemplate("many", { uriTemplate: "test://many/{id}", handler: ({ id }) => id })
    .resource("secret", { uri: "test://secret", scopes: ["admin"], handler: () => "42" })
    .build();

type TestServer = ReturnType<typeof newServer>;

/** Makes one change to every kind of list. */
function changeAll(server: TestServer): void {
  server.update((editor) => editor.tool("two", { handler: () => "2" }));
  server.update((editor) => editor.prompt("two", { handler: () => "2" }));
  server.update((editor) => editor.resource("two", { uri: "test://two", handler: () => "2" }));
  server.update((editor) =>
    editor.resourceTemplate("more", { uriTemplate: "more://{id}", handler: () => "2" }),
  );
  void server.resourceUpdated("test://one");
  void server.resourceUpdated("test://two");
}

const listenOf = (id: RequestId, notifications: unknown) => ({
  jsonrpc: "2.0" as const,
  id,
  method: "subscriptions/listen",
  params: { notifications, _meta: { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} } },
});

const cancelOf = (requestId: RequestId) => ({
  jsonrpc: "2.0" as const,
  method: "notifications/cancelled",
  params: { requestId },
});

/** Creates a modern exchange that records its notifications. */
function openExchange(more: Partial<Exchange> = {}) {
  const sent: JsonRpcNotification[] = [];
  const exchange: Exchange = {
    connection: new Connection({ era: "modern" }),
    notify: (notification) => void sent.push(notification),
    ...more,
  };
  return { exchange, sent };
}

/** Creates a notification for a subscription. */
const told = (id: RequestId, method: string, params: JsonObject = {}) => ({
  jsonrpc: "2.0",
  method,
  params: { ...params, _meta: { [META.subscriptionId]: id } },
});
const acknowledged = (id: RequestId, notifications: JsonObject) =>
  told(id, "notifications/subscriptions/acknowledged", { notifications });

/** Waits until pending tasks have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("subscriptions/listen", () => {
  test.each<[string, unknown, JsonObject]>([
    [
      "everything",
      { ...ALL, resourceSubscriptions: ["test://one"] },
      { ...ALL, resourceSubscriptions: ["test://one"] },
    ],
    ["one kind", { toolsListChanged: true }, { toolsListChanged: true }],
    ["nothing", {}, {}],
    [
      "a kind that is off",
      { toolsListChanged: false, promptsListChanged: true },
      { promptsListChanged: true },
    ],
    ["a kind that is not a boolean", { toolsListChanged: "yes", resourcesListChanged: 1 }, {}],
    ["an unknown kind", { moonPhase: true, toolsListChanged: true }, { toolsListChanged: true }],
    ["no resource", { resourceSubscriptions: [] }, { resourceSubscriptions: [] }],
    [
      "one resource twice",
      { resourceSubscriptions: ["test://one", "test://one"] },
      { resourceSubscriptions: ["test://one"] },
    ],
  ])("acknowledges the accepted filter first: %s", (_, asked, honoured) => {
    const server = newServer();
    const { exchange, sent } = openExchange();
    void server.handle(listenOf("s", asked), undefined, exchange);
    changeAll(server);
    expect(sent[0]).toEqual(acknowledged("s", honoured));
  });

  test.each<[RequestId]>([["7"], [7], [0], [""]])(
    "identifies the subscription by its request's id: %o",
    async (id) => {
      const server = newServer();
      const { exchange, sent } = openExchange();
      const reply = server.handle(listenOf(id, { toolsListChanged: true }), undefined, exchange);
      changeAll(server);
      server.close();
      expect(sent).toEqual([
        acknowledged(id, { toolsListChanged: true }),
        told(id, "notifications/tools/list_changed"),
      ]);
      expect((await reply).intoJsonRpc()).toEqual({
        jsonrpc: "2.0",
        id,
        result: { resultType: "complete", _meta: { ...SERVER_META, [META.subscriptionId]: id } },
      });
    },
  );

  test.each<[string, JsonObject, readonly JsonObject[]]>([
    ["tools", { toolsListChanged: true }, [told(1, "notifications/tools/list_changed")]],
    ["prompts", { promptsListChanged: true }, [told(1, "notifications/prompts/list_changed")]],
    [
      "resources and templates",
      { resourcesListChanged: true },
      [told(1, "notifications/resources/list_changed"), told(1, "notifications/resources/list_changed")],
    ],
    [
      "one resource by its URI",
      { resourceSubscriptions: ["test://two"] },
      [told(1, "notifications/resources/updated", { uri: "test://two" })],
    ],
    ["no kind", {}, []],
  ])("sends only requested notifications: %s", (_, asked, heard) => {
    const server = newServer();
    const { exchange, sent } = openExchange();
    void server.handle(listenOf(1, asked), undefined, exchange);
    changeAll(server);
    expect(sent.slice(1)).toEqual(heard);
  });

  test("supports several independent subscriptions on one connection", async () => {
    const server = newServer();
    const { exchange, sent } = openExchange();
    void server.handle(listenOf("a", { toolsListChanged: true }), undefined, exchange);
    void server.handle(listenOf("b", { promptsListChanged: true }), undefined, exchange);
    await server.handle(cancelOf("a"), undefined, exchange);
    changeAll(server);
    expect(sent.slice(2)).toEqual([told("b", "notifications/prompts/list_changed")]);
  });

  test.each<[string, (server: TestServer, exchange: Exchange, gone: AbortController) => unknown]>([
    ["cancels it", (server, exchange) => server.handle(cancelOf(1), undefined, exchange)],
    ["disconnects", (_server, _exchange, gone) => gone.abort()],
    ["closes the connection", (_server, exchange) => exchange.connection.close()],
  ])("ends without a response when the client %s", async (_, end) => {
    const server = newServer();
    const gone = new AbortController();
    const { exchange, sent } = openExchange({ signal: gone.signal });
    const reply = server.handle(listenOf(1, ALL), undefined, exchange);
    expect(exchange.connection.callsInFlight).toBe(1);
    await end(server, exchange, gone);
    expect((await reply).kind).toBe("notification");
    changeAll(server);
    expect(sent).toHaveLength(1);
    expect(exchange.connection.callsInFlight).toBe(0);
  });

  test("does not start for a disconnected client", async () => {
    const server = newServer();
    const { exchange, sent } = openExchange({ signal: AbortSignal.abort() });
    expect((await server.handle(listenOf(1, ALL), undefined, exchange)).kind).toBe("notification");
    changeAll(server);
    expect([sent, exchange.connection.callsInFlight]).toEqual([[], 0]);
  });

  test("ends with a response when the server closes", async () => {
    const server = newServer();
    const client = await createClient(server, { revision: MODERN });
    const { ended } = client.listen({ toolsListChanged: true });
    await settled();
    server.close();
    expect(await ended).toEqual({
      resultType: "complete",
      _meta: { ...SERVER_META, [META.subscriptionId]: 2 },
    });
    changeAll(server);
    expect(client.notifications).toEqual([acknowledged(2, { toolsListChanged: true })]);
  });

  test("ends immediately if the server is already closed", async () => {
    const server = newServer();
    server.close();
    const { exchange } = openExchange();
    const response = await server.handle(listenOf(1, ALL), undefined, exchange);
    expect(response.intoJsonRpc()?.result).toEqual({
      resultType: "complete",
      _meta: { ...SERVER_META, [META.subscriptionId]: 1 },
    });
  });

  test("ends when the client stops listening", async () => {
    const server = newServer();
    const client = await createClient(server, { revision: MODERN });
    const { ended, stop } = client.listen({ toolsListChanged: true });
    await settled();
    server.update((editor) => editor.tool("two", { handler: () => "2" }));
    stop();
    expect(await ended).toBeUndefined();
    await settled();
    server.update((editor) => editor.tool("three", { handler: () => "3" }));
    expect(client.notifications.map(({ method }) => method)).toEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/tools/list_changed",
    ]);
  });

  test("acknowledges resources that the principal may not see like absent ones, and does not notify", () => {
    const server = newServer();
    const auth = { principal: "eve", scopes: [] };
    const { exchange, sent } = openExchange({ auth });
    const resourceSubscriptions = ["test://one", "test://secret"];
    void server.handle(listenOf(1, { resourceSubscriptions }), undefined, exchange);
    void server.resourceUpdated("test://secret");
    expect(sent).toEqual([acknowledged(1, { resourceSubscriptions })]);
  });

  test("notifies a principal that holds the resource's scopes", () => {
    const server = newServer();
    const auth = { principal: "ada", scopes: ["admin"] };
    const { exchange, sent } = openExchange({ auth });
    void server.handle(listenOf(1, { resourceSubscriptions: ["test://secret"] }), undefined, exchange);
    void server.resourceUpdated("test://secret");
    expect(sent[1]).toEqual(told(1, "notifications/resources/updated", { uri: "test://secret" }));
  });

  const tooMany = Array.from({ length: 1_001 }, (_, index) => `test://${index}`);
  test.each<[string, unknown, string]>([
    ["no filter", undefined, "invalid params: notifications must be an object"],
    ["a filter of null", null, "invalid params: notifications must be an object"],
    ["a filter that is a list", ["tools"], "invalid params: notifications must be an object"],
    [
      "resources that are not a list",
      { resourceSubscriptions: "test://one" },
      "invalid params: resourceSubscriptions must be an array of URIs of at most 8192 characters",
    ],
    [
      "a resource that is not a string",
      { resourceSubscriptions: ["test://one", 2] },
      "invalid params: resourceSubscriptions must be an array of URIs of at most 8192 characters",
    ],
    [
      "a URI that is too long",
      { resourceSubscriptions: [`test://${"x".repeat(8_192)}`] },
      "invalid params: resourceSubscriptions must be an array of URIs of at most 8192 characters",
    ],
    [
      "too many resources",
      { resourceSubscriptions: tooMany },
      "invalid params: resourceSubscriptions has 1001 URIs (limit: 1000)",
    ],
  ])("rejects %s", async (_, filter, message) => {
    const { exchange, sent } = openExchange();
    const response = await newServer().handle(listenOf(1, filter), undefined, exchange);
    expect(response.error).toBe("INVALID_PARAMS");
    expect(response.intoJsonRpc()?.error).toEqual({ code: -32602, message });
    expect([sent, exchange.connection.callsInFlight]).toEqual([[], 0]);
  });

  test("accepts the maximum number of resources", () => {
    const { exchange, sent } = openExchange();
    const resourceSubscriptions = tooMany.slice(1);
    void newServer().handle(listenOf(1, { resourceSubscriptions }), undefined, exchange);
    expect(sent).toEqual([acknowledged(1, { resourceSubscriptions })]);
  });

  test("is rejected if the server cannot send notifications over the connection", async () => {
    const { exchange } = openExchange({ notify: undefined });
    const response = await newServer().handle(listenOf(1, ALL), undefined, exchange);
    expect([response.error, response.status]).toEqual(["INVALID_REQUEST", 400]);
    expect(response.intoJsonRpc()?.error).toEqual({
      code: -32600,
      message:
        "This connection does not support subscriptions, because the server cannot send notifications over it.",
    });
  });

  test("is rejected if its ID is in flight or the call limit is reached", async () => {
    const server = newServer();
    const { exchange } = openExchange({ connection: new Connection({ era: "modern", maxCalls: 1 }) });
    void server.handle(listenOf(1, ALL), undefined, exchange);
    const same = await server.handle(listenOf(1, ALL), undefined, exchange);
    expect(same.intoJsonRpc()?.error).toEqual({
      code: -32600,
      message: "A call with this ID is already in flight. Use a new ID.",
    });
    const more = await server.handle(listenOf(2, ALL), undefined, exchange);
    expect(more.error).toBe("TOO_MANY_CALLS");
    expect(more.intoJsonRpc()?.error).toEqual({
      code: -32600,
      message: "Too many calls in flight on this connection (limit: 1). Try again later.",
    });
  });

  test("continues after a notification that fails", async () => {
    const server = newServer();
    const methods: string[] = [];
    const notify = ({ method }: JsonRpcNotification) => {
      methods.push(method);
      if (methods.length === 1) throw new Error("broken pipe");
      return Promise.reject(new Error("broken pipe"));
    };
    const { exchange } = openExchange({ notify });
    const reply = server.handle(listenOf(1, { toolsListChanged: true }), undefined, exchange);
    server.update((editor) => editor.tool("two", { handler: () => "2" }));
    await settled();
    server.close();
    expect((await reply).kind).toBe("result");
    expect(methods).toEqual(["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]);
  });

  test.each(LEGACY_REVISIONS)("does not exist in %s", async (revision) => {
    const client = await createClient(newServer(), { revision });
    await expect(client.request("subscriptions/listen", { notifications: ALL })).rejects.toMatchObject({
      code: -32601,
      message: "Method not found: subscriptions/listen",
    });
  });

  test("leaves no listeners after 1,000 subscriptions", async () => {
    const services = createServices(parseOptions(SERVER_OPTIONS, INFO));
    const { changes, closing } = services;
    const server = new Server(
      {
        info: INFO,
        instructions: undefined,
        tools: [],
        resources: [],
        templates: [],
        prompts: [],
        extensions: [],
        experimental: {},
        layers: [],
        settings: { layers: [], jsonSchema: undefined, validationErrors: undefined, deadlineMs: undefined },
        pageSize: undefined,
        listTtlMs: 0,
      },
      services,
    );
    const gone = new AbortController();
    const { exchange } = openExchange({ signal: gone.signal });
    const count = () => [
      changes.size,
      exchange.connection.callsInFlight,
      closing.size,
      getEventListeners(gone.signal, "abort").length,
    ];
    for (let id = 0; id < 1_000; id++) {
      const reply = server.handle(listenOf(id, ALL), undefined, exchange);
      expect(count()).toEqual([1, 1, 1, 1]);
      await server.handle(cancelOf(id), undefined, exchange);
      await reply;
    }
    expect(count()).toEqual([0, 0, 0, 0]);
    const last = server.handle(listenOf("last", ALL), undefined, exchange);
    server.close();
    await last;
    expect(count()).toEqual([0, 0, 0, 0]);
  });
});

describe("resources/subscribe", () => {
  const refusal = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

  test.each(LEGACY_REVISIONS)(
    "sends updates of that resource until unsubscribed, in %s",
    async (revision) => {
      const server = newServer();
      const client = await createClient(server, { revision });
      expect(await client.request("resources/subscribe", { uri: "test://one" })).toEqual({});
      void server.resourceUpdated("test://one");
      void server.resourceUpdated("test://two");
      expect(await client.request("resources/unsubscribe", { uri: "test://one" })).toEqual({});
      void server.resourceUpdated("test://one");
      expect(client.notifications).toEqual([
        { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "test://one" } },
      ]);
    },
  );

  test("accepts a URI that matches a resource template", async () => {
    const server = newServer();
    const client = await createClient(server);
    await client.request("resources/subscribe", { uri: "test://many/7" });
    void server.resourceUpdated("test://many/8");
    void server.resourceUpdated("test://many/7");
    expect(client.notifications.map(({ params }) => params?.["uri"])).toEqual(["test://many/7"]);
  });

  test("applies to one connection", async () => {
    const server = newServer();
    const [one, other] = [await createClient(server), await createClient(server)];
    await one.request("resources/subscribe", { uri: "test://one" });
    void server.resourceUpdated("test://one");
    expect([one.notifications.length, other.notifications.length]).toEqual([1, 0]);
  });

  test.each([
    ["an unknown resource", "test://nowhere", "test://nowhere"],
    ["a URI that is too long", `test://many/${"x".repeat(8_192)}`, `test://many/${"x".repeat(116)}`],
  ])("does not find %s", async (_, uri, shown) => {
    const client = await createClient(newServer());
    const error = await refusal(client.request("resources/subscribe", { uri }));
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ code: -32002, message: "resource not found", data: { uri: shown } });
  });

  test("does not find a resource that the principal may not see", async () => {
    const server = newServer();
    const subscribe = async (scopes: readonly string[]) => {
      const client = await createClient(server, { auth: { principal: "ada", scopes } });
      return refusal(client.request("resources/subscribe", { uri: "test://secret" }));
    };
    expect(await subscribe([])).toMatchObject({ code: -32002, message: "resource not found" });
    expect(await subscribe(["admin"])).toEqual({});
  });

  test.each(["resources/subscribe", "resources/unsubscribe"])("%s requires a URI", async (method) => {
    const client = await createClient(newServer());
    for (const params of [{}, { uri: 7 }, { uri: null }]) {
      expect(await refusal(client.request(method, params))).toMatchObject({
        code: -32602,
        message: "invalid params: uri must be a string",
      });
    }
  });

  test("is rejected over the connection's subscription limit", async () => {
    const server = newServer();
    const exchange: Exchange = { connection: new Connection({ era: "legacy", maxSubscriptions: 2 }) };
    const subscribe = (uri: string) =>
      server.handle(
        { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri } },
        undefined,
        exchange,
      );
    const errors = [];
    for (const id of [1, 2, 3, 1]) errors.push((await subscribe(`test://many/${id}`)).error);
    expect(errors).toEqual([undefined, undefined, "TOO_MANY_CALLS", undefined]);
    expect((await subscribe("test://many/4")).intoJsonRpc()?.error).toEqual({
      code: -32600,
      message:
        "Too many subscriptions on this connection (limit: 2 resources, 256 characters of URIs). " +
        "Unsubscribe from a resource first.",
    });
  });

  test.each<[string, Exchange | undefined]>([
    ["a stateless connection", { connection: new Connection({ era: "legacy", pushes: false }) }],
    ["no connection", undefined],
  ])("is not supported by %s", async (_, exchange) => {
    const message = {
      jsonrpc: "2.0" as const,
      id: 1,
      method: "resources/subscribe",
      params: { uri: "test://one" },
    };
    const response = await newServer().handle(message, undefined, exchange);
    expect(response.intoJsonRpc()?.error).toEqual({
      code: -32601,
      message:
        "This connection does not support subscriptions, because the server cannot send notifications over it.",
    });
  });

  test("does not exist in the modern era", async () => {
    const client = await createClient(newServer(), { revision: MODERN });
    expect(await refusal(client.request("resources/subscribe", { uri: "test://one" }))).toMatchObject({
      code: -32601,
    });
  });
});

describe("change notifications on a legacy connection", () => {
  const LISTS = [
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/list_changed",
  ];

  /** Attaches a connection, changes every kind of list, and returns the notifications' methods. */
  async function hear(revision: Revision, connection = {}): Promise<readonly string[]> {
    const server = newServer();
    const frames: string[] = [];
    const wire = openMemoryTransport(server, {
      context: undefined,
      connection,
      onFrame: (frame) => frames.push(frame),
    });
    const modern = TRAITS[revision].stateless;
    await wire.send(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: modern ? "tools/list" : "initialize",
        params: modern ? listenOf(1, {}).params : { protocolVersion: revision },
      }),
    );
    frames.length = 0;
    changeAll(server);
    wire.close();
    return frames.map((frame) => (JSON.parse(frame) as { readonly method: string }).method);
  }

  test.each(LEGACY_REVISIONS)("are sent for changed lists in %s", async (revision) => {
    expect(await hear(revision)).toEqual(LISTS);
  });

  test("are not sent on a stateless connection", async () => {
    expect(await hear("2025-11-25", { pushes: false })).toEqual([]);
  });

  test("are not sent on a modern connection, because modern clients subscribe explicitly", async () => {
    expect(await hear(MODERN)).toEqual([]);
  });

  test("are not sent before the first message sets the era", () => {
    const server = newServer();
    const frames: string[] = [];
    openMemoryTransport(server, { context: undefined, onFrame: (frame) => frames.push(frame) });
    changeAll(server);
    expect(frames).toEqual([]);
  });

  test("have empty params", async () => {
    const server = newServer();
    const client = await createClient(server);
    server.update((editor) => editor.tool("two", { handler: () => "2" }));
    expect(client.notifications).toEqual([
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} },
    ]);
  });

  test("are not sent after an update that failed or did not change a list", async () => {
    const server = newServer();
    const client = await createClient(server);
    server.update(() => undefined);
    expect(() =>
      server.update((editor) => {
        editor.tool("two", { handler: () => "2" });
        throw new Error("second thoughts");
      }),
    ).toThrow(new Error("second thoughts"));
    expect(client.notifications).toEqual([]);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["one"]);
  });

  test("are not sent after the connection closed", async () => {
    const server = newServer();
    const client = await createClient(server);
    await client.close();
    changeAll(server);
    expect(client.notifications).toEqual([]);
  });

  test("ignore a transport that throws or rejects", async () => {
    const feed = new ChangeFeed();
    let heard = 0;
    for (const notify of [
      () => {
        heard++;
        throw new Error("broken pipe");
      },
      () => {
        heard++;
        return Promise.reject(new Error("broken pipe"));
      },
    ]) {
      attachConnection(feed, new Connection({ era: "legacy" }), notify);
    }
    void feed.publish({ kind: "tools" });
    await settled();
    expect(heard).toBe(2);
  });

  test("leave no listeners after 1,000 connections", () => {
    const feed = new ChangeFeed();
    const detachers = Array.from({ length: 1_000 }, () =>
      attachConnection(feed, new Connection({ era: "legacy" }), () => undefined),
    );
    expect(feed.size).toBe(1_000);
    for (const detach of detachers) detach();
    expect(feed.size).toBe(0);
  });
});

describe("the change feed", () => {
  test("delivers every change to every listener until it unsubscribes", () => {
    const feed = new ChangeFeed();
    const heard: [string, Change][] = [];
    const leave = feed.subscribe((change) => heard.push(["a", change]));
    feed.subscribe((change) => heard.push(["b", change]));
    void feed.publish({ kind: "tools" });
    leave();
    leave();
    void feed.publish({ kind: "resource", uri: "test://one" });
    expect(heard).toEqual([
      ["a", { kind: "tools" }],
      ["b", { kind: "tools" }],
      ["b", { kind: "resource", uri: "test://one" }],
    ]);
    expect(feed.size).toBe(1);
  });

  test("continues after a listener that throws", () => {
    const feed = new ChangeFeed();
    let heard = 0;
    feed.subscribe(() => {
      throw new Error("broken pipe");
    });
    feed.subscribe(() => void heard++);
    void feed.publish({ kind: "prompts" });
    expect(heard).toBe(1);
  });

  test("is used by server.onChange", () => {
    const server = newServer();
    const heard: Change[] = [];
    const leave = server.onChange((change) => heard.push(change));
    server.update((editor) => editor.tool("two", { handler: () => "2" }));
    void server.resourceUpdated("test://one");
    leave();
    void server.resourceUpdated("test://one");
    expect(heard).toEqual([{ kind: "tools" }, { kind: "resource", uri: "test://one" }]);
  });
});
