/**
 * @fileoverview Registers the same code on `McpServer` of the official SDK, version 2, and on ours, and compares their
 * replies to the official client: in memory for revision 2025-11-25, and through `createMcpHandler` for 2026-07-28.
 * @module tests/sdk/support/v2/both-sides
 */
import { expect, test } from "vitest";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import * as official from "@modelcontextprotocol/server";
import { checkRepliesOf } from "../../../../../tests/support/check-every-reply.js";
import { DropInServer } from "../../../src/server/drop-in-server.js";
import * as tenon from "../../../src/v2/index.js";

checkRepliesOf(DropInServer);

/** The package under test, typed as the official one. */
export type Sdk = typeof official;

/** Both packages, the official one first. */
export const SDKS: readonly (readonly [name: string, sdk: Sdk])[] = [
  ["official", official],
  ["tenon", { ...official, ...tenon }],
];

/** Registration code written for the official package. */
export type Register = (server: official.McpServer, sdk: Sdk) => unknown;

/** Protocol era of a connection. */
export type Era = "2025" | "2026";

export const ERAS: readonly Era[] = ["2025", "2026"];

/** A server with a connected client. */
export interface Side {
  readonly sdk: Sdk;
  /** The server, or in the 2026 era the one that the last request was served by. */
  readonly server: () => official.McpServer;
  readonly client: Client;
  /** Notifications that the client received. */
  readonly heard: { readonly method: string; readonly params?: unknown }[];
  /** Errors that the server or its endpoint reported. */
  readonly errors: Error[];
  /** The endpoint, in the 2026 era. */
  readonly handler: official.McpHttpHandler | undefined;
}

export interface SideOptions {
  readonly era?: Era;
  readonly server?: official.McpServerOptions;
  readonly client?: ClientOptions;
  readonly handler?: official.CreateMcpHandlerOptions;
  readonly authInfo?: official.AuthInfo;
  /** Sets up the client before it connects. */
  readonly prepare?: (client: Client) => void;
}

export const INFO = { name: "side", version: "1.0.0", title: "Side by side" };

/** Connects a client to a server of one package. */
export async function connectSide(sdk: Sdk, register: Register, options: SideOptions = {}): Promise<Side> {
  const era = options.era ?? "2025";
  const mode = era === "2025" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(
    { name: "client", version: "2.0.0" },
    {
      versionNegotiation: { mode },
      ...options.client,
    },
  );
  const heard: Side["heard"] = [];
  const errors: Error[] = [];
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification);
  options.prepare?.(client);
  let last: official.McpServer | undefined;
  const create = () => {
    last = new sdk.McpServer(INFO, options.server);
    last.server.onerror = (error) => void errors.push(error);
    register(last, sdk);
    return last;
  };
  const server = () => last ?? create();
  if (era === "2025") {
    const [near, far] = official.InMemoryTransport.createLinkedPair();
    await create().connect(far);
    await client.connect(near);
    return { sdk, server, client, heard, errors, handler: undefined };
  }
  const handler = sdk.createMcpHandler(create, {
    onerror: (error) => void errors.push(error),
    ...options.handler,
  });
  const { authInfo } = options;
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: (url, init) => handler.fetch(new Request(url, init), authInfo === undefined ? {} : { authInfo }),
  });
  await client.connect(transport);
  return { sdk, server, client, heard, errors, handler };
}

/** Connects both packages' servers, the official one first. */
export async function bothSides(
  register: Register,
  options: SideOptions = {},
): Promise<readonly [Side, Side]> {
  const [first, second] = SDKS.map(([, sdk]) => connectSide(sdk, register, options));
  return [await (first as Promise<Side>), await (second as Promise<Side>)];
}

/** Returns the reply, or the error. */
export async function outcomeOf(asked: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await asked };
  } catch (error) {
    const { code, message, data, name } = error as {
      code?: unknown;
      message: string;
      data?: unknown;
      name: string;
    };
    return { refused: { name, code, message, data } };
  }
}

/** Sends the same request to both servers and returns both replies, the official one first. */
export async function answersOf(
  register: Register,
  ask: (side: Side) => Promise<unknown>,
  options: SideOptions = {},
): Promise<readonly [unknown, unknown]> {
  const [first, second] = await bothSides(register, options);
  const answers = [await outcomeOf(ask(first)), await outcomeOf(ask(second))] as const;
  await Promise.all([first.client.close(), second.client.close()]);
  return answers;
}

/** Copies a value as plain JSON, without members that are `undefined`. */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** Waits until all messages in flight have arrived. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A tool result with one text block. */
export function text(value: string) {
  return { content: [{ type: "text" as const, text: value }] };
}

/** One behavior that both packages must share. */
export interface Behavior {
  readonly title: string;
  readonly register: Register;
  readonly ask: (side: Side) => Promise<unknown>;
  /** Part of the official package's outcome, which shows that it did what the title says. */
  readonly shows: object;
  readonly options?: SideOptions;
  readonly eras?: readonly Era[];
}

/** Declares a test for each behavior and era: both packages have the same outcome. */
export function compare(behaviors: readonly Behavior[]): void {
  for (const { title, register, ask, shows, options, eras = ERAS } of behaviors) {
    test.each(eras)(`%s: ${title}`, async (era) => {
      const [wanted, given] = await answersOf(register, ask, { ...options, era });
      expect(wanted).toMatchObject(shows);
      expect(plain(given)).toEqual(plain(wanted));
    });
  }
}
