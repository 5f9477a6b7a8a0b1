import { Client as Client2, InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { McpServer } from "../../../sdk/src/v1/mcp-server.js";
import { defineServer } from "tenon";
import { connect } from "@tenon/sdk";
import type { HostedServer } from "tenon/host";

const FAILURE = {
  isError: true as const,
  content: [{ type: "text" as const, text: "Error: no such city" }],
  structuredContent: { code: "NOT_FOUND", message: "no such city", details: { city: "x" } },
  _meta: { "example.com/trace": "1" },
};

function inCode(): HostedServer<unknown> {
  const output = z.object({ celsius: z.number() });
  return defineServer({ name: "code", version: "1" })
    .tool("typed", { output, handler: () => FAILURE })
    .tool("free", { handler: () => FAILURE })
    .tool("fine", { output, handler: () => ({ celsius: 3 }) })
    .build();
}

function onFacade(): HostedServer<unknown> {
  const server = new McpServer({ name: "facade", version: "1" });
  const outputSchema = { celsius: z.number() };
  server.registerTool("typed", { outputSchema }, () => FAILURE);
  server.registerTool("free", {}, () => FAILURE);
  server.registerTool("fine", { outputSchema }, () => ({
    content: [{ type: "text", text: '{"celsius":3}' }],
    structuredContent: { celsius: 3 },
  }));
  return server.build();
}

type AnyClient = Pick<Client2, "callTool" | "listTools" | "close">;

async function v1(server: HostedServer<unknown>): Promise<AnyClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await connect(server, far);
  const client = new Client({ name: "v1", version: "1" });
  await client.connect(near);
  return client as unknown as AnyClient;
}

const v2 =
  (versionNegotiation: object) =>
  async (server: HostedServer<unknown>): Promise<AnyClient> => {
    const [near, far] = Memory2.createLinkedPair();
    await connect(server, far);
    const client = new Client2({ name: "v2", version: "1" }, { versionNegotiation });
    await client.connect(near);
    return client;
  };

const CLIENTS = [
  ["version 1", v1],
  ["version 2", v2({ mode: "legacy" })],
  ["version 2 in the stateless revision", v2({ mode: { pin: "2026-07-28" } })],
] as const;
const SERVERS = [
  ["a server in code", inCode],
  ["the facade", onFacade],
] as const;

describe.each(SERVERS)("T28, C12: an error with data from %s", (_server, create) => {
  describe.each(CLIENTS)("to the official %s client", (_client, open) => {
    test("moves its data to _meta if the tool has an output schema", async () => {
      const client = await open(create());
      await client.listTools();
      const { _meta, ...rest } = await client.callTool({ name: "typed" });
      expect(rest).not.toHaveProperty("structuredContent");
      expect(rest).toMatchObject({ isError: true, content: FAILURE.content });
      expect(_meta).toMatchObject({
        "example.com/trace": "1",
        "tenon/structuredError": FAILURE.structuredContent,
      });
      await client.close();
    });

    test("keeps its data if the tool has no output schema", async () => {
      const client = await open(create());
      await client.listTools();
      expect(await client.callTool({ name: "free" })).toMatchObject(FAILURE);
      await client.close();
    });

    test("does not change successful results", async () => {
      const client = await open(create());
      await client.listTools();
      const result = await client.callTool({ name: "fine" });
      expect(result.structuredContent).toEqual({ celsius: 3 });
      expect(result._meta ?? {}).not.toHaveProperty("tenon/structuredError");
      await client.close();
    });
  });
});
