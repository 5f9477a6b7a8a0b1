/**
 * @fileoverview Our server works on the official transports of version 2, and on Tenon's own.
 * @module tests/sdk/v2/transports
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { PassThrough } from "node:stream";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import * as officialStdio from "@modelcontextprotocol/server/stdio";
import { describe, expect, test } from "vitest";
import { toFetch } from "tenon/fetch";
import { createClient } from "tenon/testing";
import { z } from "zod";
import * as tenon from "../../src/v2/index.js";
import { INFO, plain, type Register, type Sdk, SDKS, text } from "../support/v2/both-sides.js";

const register: Register = (server, sdk) => {
  server.registerTool(
    "show",
    { inputSchema: z.object({ a: z.string() }) },
    ({ a }, { sessionId, http, mcpReq }) =>
      text(
        JSON.stringify([
          a,
          typeof sessionId,
          http?.req?.headers.get("x-test"),
          http?.authInfo ?? null,
          typeof http?.closeSSE,
          mcpReq.method,
        ]),
      ),
  );
  server.registerTool("ask", {}, async ({ mcpReq }) =>
    text(JSON.stringify(await mcpReq.send({ method: "roots/list" }))),
  );
  server.registerTool("rounds", {}, ({ mcpReq }) =>
    mcpReq.inputResponses === undefined
      ? sdk.inputRequired({ inputRequests: { r: sdk.inputRequired.listRoots() } })
      : text(JSON.stringify(mcpReq.inputResponses)),
  );
};

async function connect(url: string, fetch: (request: Request) => Promise<Response>): Promise<Client> {
  const client = new Client({ name: "c", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///a" }] }));
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      fetch: (input, init) => fetch(new Request(input, init)),
      requestInit: { headers: { "x-test": "sent" } },
    }),
  );
  return client;
}

function createServer(sdk: Sdk) {
  const server = new sdk.McpServer(INFO);
  register(server, sdk);
  return server;
}

describe("the official Streamable HTTP transport", () => {
  test.each([
    ["with sessions", () => crypto.randomUUID()],
    ["without sessions", undefined],
  ])("%s", async (_title, sessionIdGenerator) => {
    const seen = [];
    for (const [, sdk] of SDKS) {
      const shared = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator });
      if (sessionIdGenerator !== undefined) await createServer(sdk).connect(shared);
      const client = await connect("http://localhost/mcp", async (request) => {
        if (sessionIdGenerator !== undefined) return shared.handleRequest(request);
        const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
        await createServer(sdk).connect(transport);
        return transport.handleRequest(request, { authInfo: { token: "t", clientId: "c", scopes: [] } });
      });
      const rounds =
        sessionIdGenerator === undefined
          ? null
          : [await client.callTool({ name: "ask" }), await client.callTool({ name: "rounds" })];
      seen.push(
        plain([
          await client.listTools(),
          await client.callTool({ name: "show", arguments: { a: "x" } }),
          rounds,
        ]),
      );
      await client.close();
    }
    expect(JSON.stringify(seen[0])).toContain("sent");
    expect(seen[1]).toEqual(seen[0]);
  });

  test("scope challenges", async () => {
    const seen = [];
    for (const [, sdk] of SDKS) {
      const server = new sdk.McpServer(INFO);
      server.registerTool("t", { scopeChallenge: sdk.requireScopes("write") }, () => text(""));
      const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await server.connect(transport);
      const request = new Request("http://localhost/", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } }),
      });
      const response = await transport.handleRequest(request, {
        authInfo: { token: "t", clientId: "c", scopes: [] },
      });
      seen.push([response.status, response.headers.get("www-authenticate")]);
    }
    expect(seen[0]).toEqual([403, expect.stringContaining('scope="write"')]);
    expect(seen[1]).toEqual(seen[0]);
  });
});

describe("Tenon's transports", () => {
  const create = () => createServer(tenon as unknown as Sdk) as unknown as tenon.McpServer;

  test("serve the server in memory, in every revision", async () => {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const client = await createClient(create(), { revision, roots: [{ uri: "file:///a" }] });
      expect(await client.callTool("rounds", {})).toMatchObject(
        text('{"r":{"roots":[{"uri":"file:///a"}]}}'),
      );
    }
  });

  test("serve the server over HTTP", async () => {
    const client = await connect("http://localhost/mcp", toFetch(create().build()));
    expect(await client.callTool({ name: "rounds" })).toMatchObject(
      text('{"r":{"roots":[{"uri":"file:///a"}]}}'),
    );
    await client.close();
  });
});

describe("StdioServerTransport", () => {
  test("reads and writes lines, and closes when the input ends", async () => {
    const seen = [];
    for (const Transport of [officialStdio.StdioServerTransport, tenon.StdioServerTransport]) {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const written: unknown[] = [];
      output.on("data", (chunk: Buffer) =>
        written.push(
          ...chunk
            .toString()
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as unknown),
        ),
      );
      const server = createServer(tenon as unknown as Sdk);
      const events: string[] = [];
      server.server.onclose = () => void events.push("closed");
      server.server.onerror = () => void events.push("error");
      await server.connect(new Transport(input, output));
      input.write('{"jsonrpc":"2.0","id":1,"meth');
      input.write('od":"ping"}\n{not json}\r\n{"jsonrpc":"2.0","id":2,"method":"nope"}\n');
      await expect.poll(() => written.length).toBe(2);
      input.end();
      await expect.poll(() => events).toEqual(["closed"]);
      seen.push(written);
    }
    expect(seen[0]).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, error: { code: -32601, message: "Method not found" } },
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });
});
