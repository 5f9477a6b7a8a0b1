/**
 * @fileoverview Official SDK servers, in both versions and at both levels, each with its own client over an
 * in-memory transport.
 * @module tests/support/grouped/attach-hosts
 */
import { Client as Client2, InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2, Server as Server2 } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Call result in the form that a client receives. */
export interface Told {
  readonly text: string;
  readonly isError: boolean;
}

/** A client that is connected to a server. */
export interface HostClient {
  readonly capabilities: unknown;
  listTools(): Promise<readonly JsonObject[]>;
  callTool(name: string, args?: Record<string, unknown>): Promise<Told>;
}

/** One kind of server. */
export interface Host {
  /** @param capabilities capabilities that the server declares. @default none */
  make(capabilities?: JsonObject): object;
  connect(server: object): Promise<HostClient>;
  /** Reads the request id from the `extra` of this kind of server. */
  readonly requestId: (extra: unknown) => unknown;
}

const INFO = { name: "host", version: "1.0.0" };

/** Every supported kind of server. */
export const HOSTS: Readonly<Record<string, Host>> = {
  "Server of version 1": {
    make: (capabilities) => new Server(INFO, optionsOf(capabilities)),
    connect: connectV1,
    requestId: (extra) => read(extra, "requestId"),
  },
  "McpServer of version 1": {
    make: (capabilities) => new McpServer(INFO, optionsOf(capabilities)),
    connect: connectV1,
    requestId: (extra) => read(extra, "requestId"),
  },
  "Server of version 2": {
    make: (capabilities) => new Server2(INFO, optionsOf(capabilities)),
    connect: connectV2,
    requestId: (extra) => read(read(extra, "mcpReq"), "id"),
  },
  "McpServer of version 2": {
    make: (capabilities) => new McpServer2(INFO, optionsOf(capabilities)),
    connect: connectV2,
    requestId: (extra) => read(read(extra, "mcpReq"), "id"),
  },
};

function optionsOf(capabilities: JsonObject | undefined) {
  return capabilities === undefined ? undefined : { capabilities: capabilities as object };
}

async function connectV1(server: object): Promise<HostClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client(INFO);
  await (server as Server | McpServer).connect(far); // created above
  await client.connect(near);
  return {
    capabilities: client.getServerCapabilities(),
    listTools: async () => (await client.listTools()).tools.map((tool) => ({ ...tool })),
    callTool: async (name, args) => toTold(await client.callTool({ name, arguments: args })),
  };
}

async function connectV2(server: object): Promise<HostClient> {
  const [near, far] = Memory2.createLinkedPair();
  const client = new Client2(INFO);
  await (server as Server2 | McpServer2).connect(far); // created above
  await client.connect(near);
  return {
    capabilities: client.getServerCapabilities(),
    listTools: async () =>
      (await client.listTools({}, { cacheMode: "refresh" })).tools.map((tool) => ({ ...tool })),
    callTool: async (name, args) =>
      toTold(await client.callTool({ name, ...(args === undefined ? {} : { arguments: args }) })),
  };
}

function toTold(result: JsonObject): Told {
  const blocks = Array.isArray(result["content"]) ? (result["content"] as readonly JsonObject[]) : [];
  return { text: blocks.map(({ text }) => String(text)).join("\n"), isError: result["isError"] === true };
}

function read(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}
