import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { defineServer } from "tenon";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { connect } from "../src/index.js";
import { ours, plain, type Register, theirs } from "./support/both-sides.js";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const RESULT = {
  content: [{ type: "resource_link" as const, uri: "mem://a", name: "a" }],
  structuredContent: { n: 1 },
};
const register: Register = (server) => {
  server.registerTool("one", { title: "One", outputSchema: { n: z.number() } }, () => RESULT);
  server.registerResource("a", "mem://a", { title: "A" }, () => ({ contents: [] }));
  server.registerPrompt("p", { title: "P" }, () => ({ messages: [] }));
};

/** Serves each request with a new server and a new stateless transport, as the official examples do. */
async function stateless(open: () => { connect(transport: never): Promise<unknown> }): Promise<Client> {
  const http = createServer((request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    void open()
      .connect(transport as never)
      .then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const client = new Client({ name: "c", version: "1" });
  stops.push(
    () => http.close(),
    () => client.close(),
  );
  const { port } = http.address() as AddressInfo;
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/`)));
  return client;
}

const ASKS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "titles and output schemas of tools": (client) => client.listTools(),
  "titles of resources": (client) => client.listResources(),
  "titles of prompts": (client) => client.listPrompts(),
  "structured content and resource links": (client) => client.callTool({ name: "one" }),
};

describe("stateless official transports", () => {
  test.each(Object.entries(ASKS))("keep %s", async (_, ask) => {
    const sides: unknown[] = [];
    for (const create of [theirs, ours]) {
      const client = await stateless(() => {
        const server = create();
        register(server);
        return server;
      });
      sides.push(plain(await ask(client)));
    }
    expect(sides[1]).toEqual(sides[0]);
    expect(JSON.stringify(sides[1])).toMatch(/title|structuredContent/);
  });

  test.each(Object.entries(ASKS))("keep %s of a Tenon server behind `connect`", async (_, ask) => {
    const server = defineServer({ name: "t", version: "1" })
      .tool("one", { title: "One", output: z.object({ n: z.number() }), handler: () => ({ n: 1 }) })
      .resource("a", { uri: "mem://a", title: "A", handler: () => "" })
      .prompt("p", { title: "P", handler: () => "" })
      .build();
    const client = await stateless(() => ({ connect: (transport: never) => connect(server, transport) }));
    expect(JSON.stringify(await ask(client))).toMatch(/"title":"(?:One|A|P)"|structuredContent/);
  });

  test("version 2 of the transport passes the header too", async () => {
    const client = new Client({ name: "c", version: "1" });
    stops.push(() => client.close());
    const fetch = async (url: string | URL, init?: RequestInit) => {
      const server = ours();
      register(server);
      const transport = new WebStandardStreamableHTTPServerTransport({});
      await server.connect(transport);
      return transport.handleRequest(new Request(url, init));
    };
    const http = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/"), { fetch });
    await client.connect(http);
    const { tools } = await client.listTools();
    expect(tools[0]).toMatchObject({ title: "One", outputSchema: { type: "object" } });
  });
});
