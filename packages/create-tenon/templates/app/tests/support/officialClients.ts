/**
 * @fileoverview Official MCP clients in both major versions, on real transports.
 * @module tests/support/officialClients
 */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

/** The server to connect to: a URL, or a program to start. */
export type Target = URL | Program;

/** Program that serves over stdio. */
export interface Program {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** Connects a client. The connection is closed after the test. */
export type Connect = (target: Target) => Promise<ClientV1 | ClientV2>;

const CARD = { name: "test", version: "1.0.0" };

async function connectV1(target: Target): Promise<ClientV1> {
  const client = new ClientV1(CARD);
  await client.connect(
    target instanceof URL ? new HttpV1(target) : new StdioV1({ ...target, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  return client;
}

async function connectV2(target: Target): Promise<ClientV2> {
  const client = new ClientV2(CARD, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    target instanceof URL ? new HttpV2(target) : new StdioV2({ ...target, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** Official clients by version, for `describe.each` and `it.each`. */
export const OFFICIAL_CLIENTS: readonly (readonly [version: string, connect: Connect])[] = [
  ["v1", connectV1],
  ["v2", connectV2],
];
