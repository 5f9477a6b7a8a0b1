/**
 * @fileoverview Registers the same code on the official SDK's `McpServer` and on ours, and compares their replies to a
 * client.
 * @module tests/sdk/support/both-sides
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Official } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { ServerOptions } from "@modelcontextprotocol/sdk/server/index.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { McpServer } from "../../src/v1/mcp-server.js";
import { checkRepliesOf } from "../../../../tests/support/check-every-reply.js";
import { DropInServer } from "../../src/server/drop-in-server.js";

checkRepliesOf(DropInServer);

export { McpServer, Official };

/** Registration code written for the official server. */
export type Register = (server: Official) => unknown;

/** A server with a connected client. */
export interface Side {
  readonly server: Official;
  readonly client: Client;
  /** Notifications that the client received. */
  readonly heard: { readonly method: string; readonly params?: unknown }[];
}

export interface SideOptions {
  readonly server?: ServerOptions;
  readonly capabilities?: ClientCapabilities;
  /** Sets up the client before it connects. */
  readonly prepare?: (client: Client) => void;
}

const INFO = { name: "side", version: "1.0.0", title: "Side by side" };

/** Creates our server, typed as the official one. */
export function ours(options?: ServerOptions): Official {
  return new McpServer(INFO, options) as unknown as Official;
}

/** Creates the official server. */
export function theirs(options?: ServerOptions): Official {
  return new Official(INFO, options);
}

/** Connects a client to a server. */
export async function connectSide(
  server: Official,
  register: Register,
  options: SideOptions = {},
): Promise<Side> {
  register(server);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client(
    { name: "client", version: "2.0.0" },
    { capabilities: options.capabilities ?? {} },
  );
  const heard: Side["heard"] = [];
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification);
  options.prepare?.(client);
  await server.connect(far);
  await client.connect(near);
  return { server, client, heard };
}

/** Connects both servers, the official one first. */
export async function bothSides(
  register: Register,
  options: SideOptions = {},
): Promise<readonly [Side, Side]> {
  return [
    await connectSide(theirs(options.server), register, options),
    await connectSide(ours(options.server), register, options),
  ];
}

/** Returns the reply, or the error. */
export async function outcomeOf(asked: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await asked };
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
    return { refused: { code, message, data } };
  }
}

/** Sends the same request to both servers and returns both replies, the official one first. */
export async function answersOf(
  register: Register,
  ask: (side: Side) => Promise<unknown>,
  options: SideOptions = {},
): Promise<readonly [unknown, unknown]> {
  const [first, second] = await bothSides(register, options);
  return [await outcomeOf(ask(first)), await outcomeOf(ask(second))];
}

/** Removes the two known differences in tool lists, which have their own tests. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
    key === "execution" || key === "$schema" ? undefined : inner,
  ) as unknown;
}

/** Waits until all messages in flight have arrived. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}
