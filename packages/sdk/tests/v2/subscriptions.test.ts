/**
 * @fileoverview Subscriptions, cache hints, and scope challenges of `createMcpHandler` behave as in the official SDK,
 * version 2.
 * @module tests/sdk/v2/subscriptions
 */
import { InMemoryServerEventBus, type McpHttpHandler } from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import {
  type Behavior,
  bothSides,
  compare,
  INFO,
  plain,
  type Register,
  SDKS,
  text,
} from "../support/v2/both-sides.js";
import { handlersOf, modern, readResponse, sendBoth } from "../support/v2/http.js";

const everything: Register = (server) => {
  server.registerTool("t", {}, () => text(""));
  server.registerPrompt("p", {}, () => ({ messages: [] }));
  server.registerResource("r", "a://b", {}, (uri) => ({ contents: [{ uri: uri.href, text: "" }] }));
};
const subscribable = { server: { capabilities: { resources: { subscribe: true } } } };
const ALL = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["a://b"],
};

function listen(notifications: unknown): Request {
  return modern("subscriptions/listen", { notifications });
}

/** Reads messages from a stream until it has as many as wanted. */
async function take(response: Response, count: number): Promise<unknown[]> {
  const messages: unknown[] = [];
  const { body } = response;
  if (body === null) return messages;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  while (messages.length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    rest += decoder.decode(value, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) messages.push(JSON.parse(line.slice(6)));
  }
  void reader.cancel();
  return messages;
}

describe("subscriptions/listen", () => {
  const publish = ({ notify }: McpHttpHandler) => {
    notify.toolsChanged();
    notify.promptsChanged();
    notify.resourcesChanged();
    notify.resourceUpdated("a://b");
    notify.resourceUpdated("a://other");
  };

  test.each([
    ["everything", ALL, subscribable, 5],
    ["one kind", { promptsListChanged: true }, {}, 2],
    [
      "resources that the server does not watch",
      { toolsListChanged: true, resourceSubscriptions: ["a://b"] },
      {},
      2,
    ],
    ["kinds set to false", { toolsListChanged: false, promptsListChanged: true }, {}, 2],
  ])("delivers %s", async (_title, filter, options, count) => {
    const seen = [];
    for (const handler of handlersOf(everything, options)) {
      const response = await handler.fetch(listen(filter));
      publish(handler);
      seen.push([
        response.status,
        response.headers.get("content-type")?.split(";")[0],
        await take(response, count),
      ]);
      await handler.close();
    }
    const [status, type, messages] = seen[0] ?? [];
    expect([status, type, messages]).toEqual([
      200,
      "text/event-stream",
      expect.objectContaining({ length: count }),
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("delivers events of a bus with their parameters", async () => {
    const seen = [];
    for (const [, sdk] of SDKS) {
      const bus = new sdk.InMemoryServerEventBus();
      const [handler] = [
        sdk.createMcpHandler(
          () => {
            const server = new sdk.McpServer(INFO, subscribable.server);
            everything(server, sdk);
            return server;
          },
          { bus },
        ),
      ];
      expect(handler.bus).toBe(bus);
      const response = await handler.fetch(listen(ALL));
      bus.publish({ kind: "resource_updated", uri: "a://b", params: { extra: 1, _meta: { trace: "x" } } });
      bus.publish({ kind: "tools_list_changed", params: { extra: 2 } });
      seen.push(await take(response, 3));
      await handler.close();
    }
    expect(seen[0]).toMatchObject([
      {},
      { params: { uri: "a://b", extra: 1, _meta: { trace: "x" } } },
      { params: { extra: 2 } },
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("ends at once if nothing can be delivered", async () => {
    const [wanted, given] = await sendBoth(handlersOf(), () => listen({ promptsListChanged: true }));
    expect(wanted).toMatchObject({
      status: 200,
      messages: [{ params: { notifications: {} } }, { id: 1, result: { resultType: "complete" } }],
    });
    expect(given).toEqual(wanted);
  });

  test.each([
    ["nothing", undefined],
    ["text", "x"],
    ["a wrong flag", { toolsListChanged: 1 }],
    ["wrong URIs", { resourceSubscriptions: [1] }],
  ])("rejects %s as a filter", async (_title, filter) => {
    const [wanted, given] = await sendBoth(handlersOf(everything), () => listen(filter));
    expect(wanted).toMatchObject({ status: 200, messages: [{ id: 1, error: { code: -32602 } }] });
    expect(given).toEqual(wanted);
  });

  test("is limited by maxSubscriptions, and a closed stream frees its place", async () => {
    const seen = [];
    for (const handler of handlersOf(everything, { maxSubscriptions: 1 })) {
      const first = await handler.fetch(listen(ALL));
      const second = await readResponse(await handler.fetch(listen(ALL)));
      await first.body?.cancel();
      const third = await handler.fetch(listen(ALL));
      seen.push([second, third.headers.get("content-type")?.split(";")[0]]);
      await handler.close();
    }
    expect(seen[0]).toMatchObject([
      { status: 200, messages: [{ error: { code: -32603, message: "Subscription limit reached" } }] },
      "text/event-stream",
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("ends with a result when the handler closes", async () => {
    const seen = [];
    for (const handler of handlersOf(everything)) {
      const response = await handler.fetch(listen(ALL));
      await handler.close();
      seen.push(await take(response, 2));
    }
    expect(seen[0]).toMatchObject([
      {},
      { id: 1, result: { resultType: "complete", _meta: { "io.modelcontextprotocol/subscriptionId": 1 } } },
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("sends keep-alives at the interval of keepAliveMs", async () => {
    for (const handler of handlersOf(everything, { keepAliveMs: 10 })) {
      const response = await handler.fetch(listen(ALL));
      const reader = response.body?.getReader();
      let received = "";
      while (!/^: /m.test(received)) received += new TextDecoder().decode((await reader?.read())?.value);
      expect(received).toContain("acknowledged");
      await reader?.cancel();
      await handler.close();
    }
  });

  test.each([0, 0.5, -1, NaN, Infinity, 2 ** 40])(
    "sends no keep-alives within a second if keepAliveMs is %d (drop-in B11)",
    async (keepAliveMs) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
      try {
        for (const handler of handlersOf(everything, { keepAliveMs })) {
          const response = await handler.fetch(listen(ALL));
          await vi.advanceTimersByTimeAsync(1_000);
          await handler.close();
          const body = await response.text();
          expect(body).toContain("acknowledged");
          expect(body).not.toMatch(/^:/m);
        }
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test("ends, and reports the error, if the bus cannot unsubscribe (drop-in B11)", async () => {
    const seen = [];
    for (const [, sdk] of SDKS) {
      const errors: string[] = [];
      const handler = sdk.createMcpHandler(
        () => {
          const server = new sdk.McpServer(INFO);
          everything(server, sdk);
          return server;
        },
        {
          bus: {
            publish: () => undefined,
            subscribe: () => () => {
              throw new Error("bus is down");
            },
          },
          onerror: ({ message }) => void errors.push(message),
        },
      );
      const response = await handler.fetch(listen(ALL));
      await handler.close();
      seen.push([await take(response, 2), errors]);
    }
    expect(seen[0]).toMatchObject([[{}, { result: { resultType: "complete" } }], ["bus is down"]]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("reaches the official client", async () => {
    for (const { client, handler } of await bothSides(everything, { era: "2026" })) {
      const heard: string[] = [];
      client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
      const subscription = await client.listen({ toolsListChanged: true });
      handler?.notify.toolsChanged();
      await expect.poll(() => heard).toEqual(["tools"]);
      await subscription.close();
    }
  });

  test("a bus calls every listener, and reports errors", () => {
    for (const [, sdk] of SDKS) {
      const errors: string[] = [];
      const bus = new sdk.InMemoryServerEventBus((error) => void errors.push(error.message));
      const seen: string[] = [];
      bus.subscribe(() => {
        throw new Error("bad listener");
      });
      const stop = bus.subscribe(({ kind }) => void seen.push(kind));
      bus.publish({ kind: "tools_list_changed" });
      stop();
      stop();
      bus.publish({ kind: "prompts_list_changed" });
      expect([seen, errors, bus.listenerCount]).toEqual([
        ["tools_list_changed"],
        ["bad listener", "bad listener"],
        1,
      ]);
      expect(bus).toBeInstanceOf(sdk.InMemoryServerEventBus ?? InMemoryServerEventBus);
    }
  });
});

describe("cache hints", () => {
  const hinted: Register = (server, sdk) => {
    everything(server, sdk);
    server.registerResource("h", "h://1", { cacheHint: { ttlMs: 5_000 } }, (uri) => ({
      contents: [{ uri: uri.href, text: "" }],
    }));
    server.registerResource("own", "h://2", { cacheHint: { ttlMs: 5_000 } }, (uri) => ({
      contents: [{ uri: uri.href, text: "" }],
      ttlMs: 7,
      cacheScope: "private",
    }));
    server.registerResource(
      "t",
      new sdk.ResourceTemplate("ht://{x}", { list: () => ({ resources: [] }) }),
      { cacheHint: { cacheScope: "public" } },
      (uri) => ({ contents: [{ uri: uri.href, text: "" }] }),
    );
  };
  const options = {
    server: {
      cacheHints: {
        "tools/list": { ttlMs: 60_000, cacheScope: "public" as const },
        "prompts/list": { ttlMs: 1 },
        "resources/list": { cacheScope: "public" as const },
        "resources/templates/list": { ttlMs: 2 },
        "resources/read": { ttlMs: 9, cacheScope: "public" as const },
        "server/discover": { ttlMs: 3_000 },
      },
    },
  };
  const request =
    (method: string, params?: object): Behavior["ask"] =>
    async ({ handler }) => {
      const response = await handler?.fetch(modern(method, { ...params }));
      return response === undefined ? undefined : (await readResponse(response)).messages[0]?.["result"];
    };
  const eras = ["2026"] as const;
  compare([
    {
      title: "of tools/list",
      register: hinted,
      ask: request("tools/list"),
      shows: { answer: { ttlMs: 60_000, cacheScope: "public" } },
      options,
      eras,
    },
    {
      title: "of prompts/list",
      register: hinted,
      ask: request("prompts/list"),
      shows: { answer: { ttlMs: 1, cacheScope: "private" } },
      options,
      eras,
    },
    {
      title: "of resources/list",
      register: hinted,
      ask: request("resources/list"),
      shows: { answer: { ttlMs: 0, cacheScope: "public" } },
      options,
      eras,
    },
    {
      title: "of resources/templates/list",
      register: hinted,
      ask: request("resources/templates/list"),
      shows: { answer: { ttlMs: 2 } },
      options,
      eras,
    },
    {
      title: "of server/discover",
      register: hinted,
      ask: request("server/discover"),
      shows: { answer: { ttlMs: 3_000, cacheScope: "private" } },
      options,
      eras,
    },
    {
      title: "of a resource",
      register: hinted,
      ask: request("resources/read", { uri: "a://b" }),
      shows: { answer: { ttlMs: 9, cacheScope: "public" } },
      options,
      eras,
    },
    {
      title: "of a resource with its own",
      register: hinted,
      ask: request("resources/read", { uri: "h://1" }),
      shows: { answer: { ttlMs: 5_000, cacheScope: "public" } },
      options,
      eras,
    },
    {
      title: "of a result with its own",
      register: hinted,
      ask: request("resources/read", { uri: "h://2" }),
      shows: { answer: { ttlMs: 7, cacheScope: "private" } },
      options,
      eras,
    },
    {
      title: "of a template with its own",
      register: hinted,
      ask: request("resources/read", { uri: "ht://x" }),
      shows: { answer: { ttlMs: 9, cacheScope: "public" } },
      options,
      eras,
    },
    {
      title: "without options",
      register: hinted,
      ask: request("resources/read", { uri: "a://b" }),
      shows: { answer: { ttlMs: 0, cacheScope: "private" } },
      eras,
    },
    {
      title: "are not sent in 2025",
      register: hinted,
      ask: async ({ client }) => [await client.listTools(), await client.readResource({ uri: "h://1" })],
      shows: { answer: [{ tools: [{}] }, { contents: [{}] }] },
      options,
      eras: ["2025"],
    },
    {
      title: "of the server are checked",
      register: () => undefined,
      ask: async ({ sdk }) => new sdk.McpServer(INFO, { cacheHints: { "tools/list": { ttlMs: -1 } } }),
      shows: {
        refused: {
          name: "RangeError",
          message:
            "Invalid cache hint for cacheHints['tools/list']: ttlMs must be a non-negative safe integer (got -1)",
        },
      },
      eras: ["2025"],
    },
    {
      title: "of resources are checked",
      register: () => undefined,
      ask: async ({ server }) =>
        server().registerResource("r", "a://r", { cacheHint: { cacheScope: "all" as "public" } }, () => ({
          contents: [],
        })),
      shows: {
        refused: {
          name: "RangeError",
          message: "Invalid cache hint for resource r: cacheScope must be 'public' or 'private' (got all)",
        },
      },
      eras: ["2025"],
    },
  ]);
});

describe("scope challenges", () => {
  const authInfo = { token: "t", clientId: "c", scopes: ["read"] };
  const scoped: Register = (server, sdk) => {
    server.registerTool("write", { scopeChallenge: sdk.requireScopes("read", "write") }, () =>
      text("written"),
    );
    server.registerTool(
      "own",
      { scopeChallenge: ({ request }) => ({ scopes: ["x"], errorDescription: `for ${request.method}` }) },
      () => text(""),
    );
    server.registerTool("broken", { scopeChallenge: () => ({ scopes: [] }) as never }, () => text(""));
    server.registerTool("open", { scopeChallenge: () => undefined }, () => text("opened"));
    server.registerPrompt("p", { scopeChallenge: sdk.requireScopes("write") }, () => ({ messages: [] }));
    server.registerResource("r", "a://r", { scopeChallenge: sdk.requireScopes("write") }, (uri) => ({
      contents: [{ uri: uri.href, text: "" }],
    }));
    server.registerResource(
      "t",
      new sdk.ResourceTemplate("t://{x}", { list: undefined }),
      { scopeChallenge: sdk.requireScopes("write") },
      (uri) => ({ contents: [{ uri: uri.href, text: "" }] }),
    );
    const removed = server.registerTool("removed", { scopeChallenge: sdk.requireScopes("write") }, () =>
      text("free"),
    );
    removed.update({ scopeChallenge: null });
  };
  test.each<readonly [title: string, request: () => Request, status: number, auth: object | undefined]>([
    ["a tool that needs more scopes", () => modern("tools/call", { name: "write" }), 403, authInfo],
    [
      "a tool with enough scopes",
      () => modern("tools/call", { name: "write" }),
      200,
      { ...authInfo, scopes: ["read", "write"] },
    ],
    ["a tool without authorization", () => modern("tools/call", { name: "write" }), 200, undefined],
    ["a challenge with a description", () => modern("tools/call", { name: "own" }), 403, authInfo],
    ["an invalid challenge", () => modern("tools/call", { name: "broken" }), 500, authInfo],
    ["a tool without a challenge", () => modern("tools/call", { name: "open" }), 200, authInfo],
    ["a challenge that was removed", () => modern("tools/call", { name: "removed" }), 200, authInfo],
    ["a prompt", () => modern("prompts/get", { name: "p" }), 403, authInfo],
    ["a resource", () => modern("resources/read", { uri: "a://r" }), 403, authInfo],
    ["a template", () => modern("resources/read", { uri: "t://1" }), 403, authInfo],
    [
      "metadata of the resource",
      () => modern("tools/call", { name: "write" }),
      403,
      { ...authInfo, resource: new URL("https://example.com/mcp") },
    ],
    [
      "metadata of the gate",
      () => modern("tools/call", { name: "write" }),
      403,
      { ...authInfo, resourceMetadataUrl: "https://example.com/.well-known/x" },
    ],
  ])("%s", async (_title, request, status, auth) => {
    const seen = [];
    for (const handler of handlersOf(scoped, { onerror: () => {} })) {
      const response = await handler.fetch(
        request(),
        auth === undefined ? {} : ({ authInfo: auth } as never),
      );
      const header = response.headers.get("www-authenticate");
      seen.push([response.status, header, plain(await response.json())]);
    }
    expect(seen[0]?.[0]).toBe(status);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("requireScopes rejects invalid scopes", () => {
    for (const [, sdk] of SDKS) {
      expect(() => sdk.requireScopes("a b")).toThrow(TypeError);
      expect(() => sdk.requireScopes(...([] as unknown as [string]))).toThrow(TypeError);
    }
  });
});
