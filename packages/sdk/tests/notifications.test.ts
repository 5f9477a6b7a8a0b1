import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  RootsListChangedNotificationSchema,
  SubscribeRequestSchema,
  ToolListChangedNotificationSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { serve } from "../../tenon/src/transport/node/serve.js";
import {
  bothSides,
  McpServer,
  ours,
  type Register,
  settle,
  type Side,
  theirs,
} from "./support/both-sides.js";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const RESOURCES: Register = (server) =>
  server.registerResource("a", "mem://a", {}, (uri) => ({ contents: [{ uri: uri.href, text: "" }] }));

/** A server on HTTP: the official one on its own transport, ours on Tenon's. */
async function onHttp(server: Side["server"]): Promise<URL> {
  if (server instanceof (McpServer as unknown as new () => object)) {
    const running = await serve((server as unknown as McpServer).build(), {
      transport: { type: "http", port: 0 },
      banner: false,
      signals: false,
    });
    stops.push(() => running.close());
    return new URL(running.url ?? "");
  }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  const http = createServer((request, response) => void transport.handleRequest(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    http.close();
    http.closeAllConnections();
  });
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
}

/** Runs the same server code on both servers over HTTP, with the official client. */
async function overHttp(
  register: Register,
  use: (client: Client) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (const server of [theirs({ capabilities: { logging: {} } }), ours({ capabilities: { logging: {} } })]) {
    register(server);
    const client = new Client(
      { name: "c", version: "1" },
      { capabilities: { roots: { listChanged: true } } },
    );
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ uri: "file:///home", name: "home" }],
    }));
    stops.push(() => client.close());
    const url = await onHttp(server);
    await client.connect(new StreamableHTTPClientTransport(url));
    seen.push(await use(client));
  }
  return seen;
}

describe("messages from notification handlers over HTTP", () => {
  test("`roots/list_changed` may be followed by `listRoots`", async () => {
    const found: unknown[] = [];
    const register: Register = ({ server }) => {
      server.onerror = (error) => void found.push(error.message);
      server.setNotificationHandler(RootsListChangedNotificationSchema, async () => {
        found.push((await server.listRoots()).roots);
      });
    };
    await overHttp(register, async (client) => {
      const before = found.length;
      // The server can send requests once the client has opened its stream.
      await expect
        .poll(async () => {
          await client.sendRootsListChanged();
          await settle();
          return found.length;
        })
        .toBeGreaterThan(before);
    });
    const roots = [{ uri: "file:///home", name: "home" }];
    expect(found).toContainEqual(roots);
    expect(found.filter((one) => JSON.stringify(one) !== JSON.stringify(roots))).toEqual([]);
  });

  test("`oninitialized` may send a request to the client", async () => {
    const register: Register = (facade) => {
      const { server } = facade;
      const found = new Promise((resolve, reject) => {
        server.oninitialized = () => {
          // The client opens its stream after this notification.
          setTimeout(() => void server.listRoots().then(({ roots }) => resolve(roots), reject), 200);
        };
      });
      facade.registerTool("found", {}, async () => ({
        content: [{ type: "text", text: JSON.stringify(await found) }],
      }));
    };
    const [wanted, given] = await overHttp(register, (client) => client.callTool({ name: "found" }));
    expect(given).toEqual(wanted);
    expect(JSON.stringify(given)).toContain("file:///home");
  });

  test("a log message from a notification handler arrives on the client's stream", async () => {
    const register: Register = (facade) => {
      facade.server.setNotificationHandler(RootsListChangedNotificationSchema, () =>
        facade.sendLoggingMessage({ level: "info", data: "heard" }),
      );
    };
    const heard = await overHttp(register, async (client) => {
      const logs: unknown[] = [];
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params));
      await expect
        .poll(async () => {
          await client.sendRootsListChanged();
          return logs.length;
        })
        .toBeGreaterThan(0);
      return logs[0];
    });
    expect(heard[1]).toEqual(heard[0]);
  });
});

describe("updates of resources with the application's own subscriptions", () => {
  const subscribing =
    (subscribed: Set<string>): Register =>
    (facade) => {
      RESOURCES(facade);
      facade.server.registerCapabilities({ resources: { subscribe: true } });
      facade.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
        subscribed.add(params.uri);
        return {};
      });
      facade.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
        subscribed.delete(params.uri);
        return {};
      });
    };

  test("an update reaches the subscribed client", async () => {
    const heard: unknown[] = [];
    for (const side of await bothSides(subscribing(new Set()))) {
      await side.client.subscribeResource({ uri: "mem://a" });
      await side.server.server.sendResourceUpdated({ uri: "mem://a" });
      await settle();
      heard.push(side.heard);
    }
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[0]).toEqual([
      { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "mem://a" } },
    ]);
  });

  test("an update of an unsubscribed resource still reaches the only client", async () => {
    const heard: unknown[] = [];
    for (const side of await bothSides(subscribing(new Set()))) {
      await side.server.server.sendResourceUpdated({ uri: "mem://other" });
      await settle();
      heard.push(side.heard.map(({ params }) => params));
    }
    expect(heard).toEqual([[{ uri: "mem://other" }], [{ uri: "mem://other" }]]);
  });

  test("an update sent from a callback arrives", async () => {
    const register: Register = (facade) => {
      subscribing(new Set())(facade);
      facade.registerTool("touch", {}, async () => {
        await facade.server.sendResourceUpdated({ uri: "mem://a" });
        return { content: [] };
      });
    };
    const heard: unknown[] = [];
    for (const side of await bothSides(register)) {
      await side.client.callTool({ name: "touch" });
      await settle();
      heard.push(side.heard.map(({ params }) => params));
    }
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[0]).toEqual([{ uri: "mem://a" }]);
  });

  test("with two clients, only the subscribed one is notified", async () => {
    const facade = ours();
    subscribing(new Set())(facade);
    const url = await onHttp(facade);
    const heard: unknown[][] = [[], []];
    for (const log of heard) {
      const client = new Client({ name: "c", version: "1" });
      client.fallbackNotificationHandler = async ({ params }) => void log.push(params);
      stops.push(() => client.close());
      await client.connect(new StreamableHTTPClientTransport(url));
      if (log === heard[0]) await client.subscribeResource({ uri: "mem://a" });
    }
    await expect
      .poll(async () => {
        await facade.server.sendResourceUpdated({ uri: "mem://a" });
        return heard[0]?.length;
      })
      .toBeGreaterThan(0);
    expect(heard[1]).toEqual([]);
  });
});

describe("notifications", () => {
  const debounced = { debouncedNotificationMethods: ["notifications/tools/list_changed"] };

  test.each([
    ["combined in one tick with the option", debounced, 1],
    ["sent one by one without it", {}, 3],
  ])("changes of the list are %s", async (_, options, count) => {
    const heard: number[] = [];
    const register: Register = (facade) => facade.registerTool("first", {}, () => ({ content: [] }));
    for (const side of await bothSides(register, { server: options })) {
      let changes = 0;
      side.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
      for (const name of ["a", "b", "c"]) side.server.registerTool(name, {}, () => ({ content: [] }));
      await settle();
      heard.push(changes);
    }
    expect(heard).toEqual([count, count]);
  });

  test("notifications in different ticks are all sent", async () => {
    const heard: number[] = [];
    const register: Register = (facade) => facade.registerTool("first", {}, () => ({ content: [] }));
    for (const side of await bothSides(register, { server: debounced })) {
      let changes = 0;
      side.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
      for (let turn = 0; turn < 2; turn++) {
        side.server.sendToolListChanged();
        side.server.sendToolListChanged();
        await settle();
      }
      heard.push(changes);
    }
    expect(heard).toEqual([2, 2]);
  });

  test("notifications without parameters have no `params`", async () => {
    const heard: unknown[] = [];
    const register: Register = (facade) => facade.registerTool("first", {}, () => ({ content: [] }));
    for (const side of await bothSides(register)) {
      side.server.sendToolListChanged();
      await settle();
      heard.push(side.heard);
    }
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[0]).toEqual([{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }]);
  });

  test("a completion notifier requires a client with URL elicitation", async () => {
    const errors: unknown[] = [];
    for (const { server } of await bothSides(() => undefined)) {
      try {
        server.server.createElicitationCompletionNotifier("1");
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
    expect(errors).toEqual([errors[1], errors[0]]);
    expect(errors).toHaveLength(2);
  });

  test("a completion notifier sends the notification", async () => {
    const heard: unknown[] = [];
    const capabilities = { elicitation: { url: {} } };
    for (const side of await bothSides(() => undefined, { capabilities })) {
      await side.server.server.createElicitationCompletionNotifier("7", {})();
      await settle();
      heard.push(side.heard);
    }
    expect(heard[1]).toEqual(heard[0]);
    expect(JSON.stringify(heard[0])).toContain('"elicitationId":"7"');
  });

  test("a log message with a session ID is sent", async () => {
    const heard: unknown[] = [];
    for (const side of await bothSides(() => undefined, { server: { capabilities: { logging: {} } } })) {
      await side.server.sendLoggingMessage({ level: "info", data: 1 }, "session");
      await side.server.server.sendLoggingMessage({ level: "info", data: 2 }, "session");
      await settle();
      heard.push(side.heard);
    }
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[0]).toHaveLength(2);
  });
});
