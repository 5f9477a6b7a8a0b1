/**
 * @fileoverview The same registrations on the official SDK's `McpServer` and on ours, the same client before both, and
 * what each answers.
 * @module tests/sdk/both-sides
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Official } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { ServerOptions } from "@modelcontextprotocol/sdk/server/index.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { McpServer } from "../src/mcp-server/mcp-server.js";
import { checkRepliesOf } from "../../../tests/support/check-every-reply.js";
import { FacadeServer } from "../src/mcp-server/facade-server.js";

checkRepliesOf(FacadeServer);

export { McpServer, Official };

/** Code that was written for the official server. */
export type Register = (server: Official) => unknown;

/** One side: a server with a client connected to it. */
export interface Side {
  readonly server: Official;
  readonly client: Client;
  /** Every notification that reached the client. */
  readonly heard: { readonly method: string; readonly params?: unknown }[];
}

export interface SideOptions {
  readonly server?: ServerOptions;
  readonly capabilities?: ClientCapabilities;
  /** Prepares the client before it connects. */
  readonly prepare?: (client: Client) => void;
}

const INFO = { name: "side", version: "1.0.0", title: "Side by side" };

/** Ours, to code that was written for theirs. */
export function ours(options?: ServerOptions): Official {
  return new McpServer(INFO, options) as unknown as Official;
}

/** Theirs. */
export function theirs(options?: ServerOptions): Official {
  return new Official(INFO, options);
}

/** A client on a server. */
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

/** The two sides, theirs first. */
export async function bothSides(
  register: Register,
  options: SideOptions = {},
): Promise<readonly [Side, Side]> {
  return [
    await connectSide(theirs(options.server), register, options),
    await connectSide(ours(options.server), register, options),
  ];
}

/** What was answered, or how it was refused. */
export async function outcomeOf(asked: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await asked };
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
    return { refused: { code, message, data } };
  }
}

/** What each side answers to the same question, theirs first. */
export async function answersOf(
  register: Register,
  ask: (side: Side) => Promise<unknown>,
  options: SideOptions = {},
): Promise<readonly [unknown, unknown]> {
  const [first, second] = await bothSides(register, options);
  return [await outcomeOf(ask(first)), await outcomeOf(ask(second))];
}

/** Takes out the two known differences in lists of tools; they are asserted by themselves. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
    key === "execution" || key === "$schema" ? undefined : inner,
  ) as unknown;
}

/** Lets what is on its way arrive. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}
