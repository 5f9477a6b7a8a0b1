/**
 * @fileoverview Actions with scopes on official SDK servers, which pass the caller's authorization to handlers.
 * @module tests/grouped/scopes-on-sdk-servers
 */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createMcpHandler, McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import type { Call } from "../../src/core/call/call.js";
import { createTool, type ToolRegistry, ToolRegistry as Registry } from "../../src/grouped/index.js";

const INFO = { name: "host", version: "1.0.0" };
const ran = vi.fn(() => "done");

const createRegistry = () =>
  new Registry().register(
    createTool("users")
      .action({ name: "list", handler: ran })
      .action({ name: "ban", scopes: ["admin"], destructive: true, handler: ran }),
  );

interface Caller {
  readonly list: () => Promise<readonly unknown[]>;
  readonly call: (name: string, args: Record<string, unknown>) => Promise<string>;
}

const textOf = ({ content }: Record<string, unknown>) =>
  (content as readonly { text: string }[])[0]?.text ?? "";

/** Connects a caller with these scopes to an official server of each version. */
const HOSTS: Readonly<
  Record<
    string,
    (registry: ToolRegistry, scopes: readonly string[], expose: "grouped" | "flat") => Promise<Caller>
  >
> = {
  "version 1": async (registry, scopes, expose) => {
    const server = new McpServer(INFO, { capabilities: { tools: {} } });
    registry.attachToServer(server, { expose });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const send = near.send.bind(near);
    near.send = (message, options) =>
      send(message, { ...options, authInfo: { token: "t", clientId: "ada", scopes: [...scopes] } });
    const client = new Client(INFO);
    await server.connect(far);
    await client.connect(near);
    return {
      list: async () => (await client.listTools()).tools,
      call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
    };
  },
  "version 2": async (registry, scopes, expose) => {
    const handler = createMcpHandler(() => {
      const server = new McpServer2(INFO, { capabilities: { tools: {} } });
      registry.attachToServer(server, { expose });
      return server;
    });
    const authInfo = { token: "t", clientId: "ada", scopes: [...scopes] };
    const fetch = (url: string | URL, init?: RequestInit) =>
      handler.fetch(new Request(url, init), { authInfo });
    const client = new Client2(INFO);
    await client.connect(new Http2(new URL("http://localhost/mcp"), { fetch }));
    return {
      list: async () => (await client.listTools({}, { cacheMode: "refresh" })).tools,
      call: async (name, args) => textOf({ ...(await client.callTool({ name, arguments: args })) }),
    };
  },
};

describe.each(Object.entries(HOSTS))("on an official server of %s", (_version, connect) => {
  test("an action that the caller may not use is neither shown nor accepted", async () => {
    ran.mockClear();
    const caller = await connect(createRegistry(), ["other"], "grouped");
    expect(JSON.stringify(await caller.list())).not.toContain("ban");
    expect(await caller.call("users", { action: "ban" })).toBe("Unknown action. Available: list");
    expect(ran).not.toHaveBeenCalled();
    expect(await caller.call("users", { action: "list" })).toBe("done");
  });

  test("a caller with the scopes sees and calls the action", async () => {
    const caller = await connect(createRegistry(), ["admin"], "grouped");
    expect(JSON.stringify(await caller.list())).toContain('"enum":["list","ban"]');
    expect(await caller.call("users", { action: "ban" })).toBe("done");
  });

  test("a flat tool that the caller may not use does not exist", async () => {
    ran.mockClear();
    const caller = await connect(createRegistry(), [], "flat");
    expect(await caller.list()).toMatchObject([{ name: "users_list" }]);
    expect(await caller.call("users_ban", {})).toBe('Unknown tool: "users_ban". Available tools: users_list');
    expect(ran).not.toHaveBeenCalled();
  });
});

describe("execute", () => {
  const tool = () =>
    createTool("users")
      .action({ name: "list", handler: ran })
      .action({ name: "ban", scopes: ["admin"], handler: ran });
  const callOf = (scopes: readonly string[]) => ({ auth: { principal: "ada", scopes } }) as unknown as Call; // only `auth` is read

  test("checks the scopes of the call's caller", async () => {
    ran.mockClear();
    expect(textOf({ ...(await tool().execute(undefined, { action: "ban" }, callOf([]))) })).toBe(
      "Unknown action. Available: list",
    );
    expect(ran).not.toHaveBeenCalled();
    expect(textOf({ ...(await tool().execute(undefined, { action: "ban" }, callOf(["admin"]))) })).toBe(
      "done",
    );
    expect(textOf({ ...(await tool().execute(undefined, { action: "ban" })) })).toBe("done");
  });

  test("does not find a tool without permitted actions", async () => {
    const closed = createTool("t").action({ name: "a", scopes: ["x"], handler: ran });
    expect(textOf({ ...(await closed.execute(undefined, { action: "a" }, callOf([]))) })).toBe(
      'Unknown tool: "t". Available tools: ',
    );
    const [flat] = closed.getCallableTools("flat");
    expect(flat?.select?.([])).toBeUndefined();
    expect(flat?.select?.(["x"])?.definition.name).toBe("t_a");
  });
});
