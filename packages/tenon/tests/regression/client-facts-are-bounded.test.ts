import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { Connection } from "../../src/core/wire/connection.js";
import { defineServer } from "../../src/core/define-server.js";
import { receive } from "../../src/core/wire/receive.js";
import type { McpResponse } from "../../src/core/wire/response.js";
import { type ClientCapabilities, type JsonObject, META, readEnvelope } from "../../src/protocol/index.js";
import { handle, MODERN, modernRequest, request } from "../../../../tests/support/requests.js";

/** Sessions used to keep everything that a client sent in `initialize`, up to 85 MB, for their whole lifetime. */

const server = defineServer({ name: "a", version: "1" }).build();

/** Initializes a connection and returns the kept client data. */
async function initialize(clientInfo: unknown, capabilities: unknown): Promise<Connection> {
  const connection = new Connection();
  const params = { protocolVersion: "2025-11-25", clientInfo, capabilities };
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = (await receive(server, text, {
    context: undefined,
    exchange: { connection },
  })) as McpResponse;
  expect(response.error).toBeUndefined();
  return connection;
}

const PAD = "x".repeat(3_000_000);
const list = (count: number) => Array.from({ length: count }, (_, index) => index);
const keys = (count: number) => Object.fromEntries(list(count).map((key) => [`k${key}`, {}]));
const deep = (depth: number): unknown => (depth === 0 ? {} : { a: deep(depth - 1) });

/** Oversized data in every place that a client can fill. */
const JUNK: Readonly<Record<string, readonly [clientInfo: unknown, capabilities: unknown]>> = {
  "an unknown member": [{ name: "c", version: "1", junk: PAD }, {}],
  "a long name": [{ name: PAD, version: "1" }, {}],
  "a long description": [{ name: "c", version: "1", description: PAD }, {}],
  "a long address": [{ name: "c", version: "1", websiteUrl: `https://a.example/${PAD}` }, {}],
  "many icons": [{ name: "c", version: "1", icons: list(10_000).map(() => ({ src: "a:b" })) }, {}],
  "a long icon": [{ name: "c", version: "1", icons: [{ src: `data:,${PAD}` }] }, {}],
  "an unknown capability": [{ name: "c", version: "1" }, { junk: { a: PAD } }],
  "many capabilities": [{ name: "c", version: "1" }, keys(20_000)],
  "many experiments": [{ name: "c", version: "1" }, { experimental: keys(20_000) }],
  "a long setting": [{ name: "c", version: "1" }, { sampling: { a: PAD } }],
  "a long key": [{ name: "c", version: "1" }, { elicitation: { [PAD]: {} } }],
  "a long list": [{ name: "c", version: "1" }, { extensions: { "a/b": { list: list(20_000) } } }],
  "deep settings": [{ name: "c", version: "1" }, { roots: deep(50) }],
};

describe("initialize", () => {
  test.each(Object.entries(JUNK))(
    "keeps only a bounded part of %s",
    async (_, [clientInfo, capabilities]) => {
      const connection = await initialize(clientInfo, capabilities);
      const kept = JSON.stringify([connection.clientInfo, connection.capabilities]);
      expect(kept.length).toBeLessThan(10_000);
      expect(connection.clientInfo).toMatchObject({ version: "1" });
    },
  );

  test("a truncated text does not keep the original text in memory", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collect();
    const before = process.memoryUsage().heapUsed;
    const kept: Connection[] = [];
    for (let count = 0; count < 20; count++) {
      kept.push(await initialize({ name: `${count}${PAD}`, version: "1" }, {}));
    }
    collect();
    expect((process.memoryUsage().heapUsed - before) / 1_048_576).toBeLessThan(20);
    expect(kept[7]?.clientInfo?.["name"]).toMatch(/^7x+$/);
  });
});

describe("a stateless request's envelope", () => {
  test.each(Object.entries(JUNK))("is read without %s", (_, [clientInfo, capabilities]) => {
    const _meta = { [META.clientInfo]: clientInfo, [META.clientCapabilities]: capabilities };
    const envelope = readEnvelope(modernRequest("tools/list", { _meta }) as never);
    expect(envelope).toMatchObject({ revision: MODERN, clientInfo: { version: "1" } });
    expect(JSON.stringify(envelope).length).toBeLessThan(10_000);
  });
});

describe("a well-behaved client", () => {
  const CLIENT: JsonObject = {
    name: "Übersicht 🚀",
    version: "1.2.3",
    title: "Overview",
    description: "Shows everything at once",
    websiteUrl: "https://overview.example/",
    icons: [{ src: "https://overview.example/icon.png", mimeType: "image/png", sizes: ["48x48"] }],
  };
  const CAPABILITIES = {
    roots: { listChanged: true },
    sampling: { context: {}, tools: {} },
    elicitation: { form: {}, url: { schemes: ["https", "mailto"] } },
    tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
    experimental: { "example.com/x": { level: 3, ratio: 0.5, note: null } },
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"], nested: [[1]] } },
    "example.com/own": { on: true },
  } satisfies ClientCapabilities & JsonObject;

  test("is described as it described itself, in both eras", async () => {
    const { clientInfo, capabilities } = await initialize(CLIENT, CAPABILITIES);
    expect(clientInfo).toEqual(CLIENT);
    expect(capabilities).toEqual(CAPABILITIES);
    const _meta = { [META.clientInfo]: CLIENT, [META.clientCapabilities]: CAPABILITIES };
    expect(readEnvelope(modernRequest("tools/list", { _meta }) as never)).toMatchObject({
      clientInfo: CLIENT,
      capabilities: CAPABILITIES,
    });
  });

  test("is described by copies, so later changes to the message have no effect", async () => {
    const capabilities = { sampling: { tools: {} }, roots: {} };
    const clientInfo = { name: "c", version: "1", icons: [{ src: "a:b" }] };
    const connection = new Connection();
    const params = { protocolVersion: "2025-11-25", clientInfo, capabilities };
    await handle(server, request("initialize", params), { connection });
    Object.assign(clientInfo, { name: "d" });
    clientInfo.icons.push({ src: "c:d" });
    Object.assign(capabilities, { elicitation: {} });
    Object.assign(capabilities.roots, { listChanged: true });
    expect(connection.clientInfo).toEqual({ name: "c", version: "1", icons: [{ src: "a:b" }] });
    expect(connection.capabilities).toEqual({ sampling: { tools: {} }, roots: {} });
  });

  test("never sets a prototype, regardless of how its message was created", async () => {
    const connection = new Connection();
    const capabilities = JSON.parse(
      '{"__proto__":{"a":{}},"experimental":{"__proto__":{"b":{}}}}',
    ) as JsonObject;
    await handle(server, request("initialize", { capabilities }), { connection });
    expect(connection.capabilities).toEqual({ experimental: {} });
    expect(Object.getPrototypeOf(connection.capabilities)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(connection.capabilities.experimental)).toBe(Object.prototype);
  });

  test("keeps its known capabilities if an unknown one is too large", async () => {
    const { capabilities } = await initialize(
      { name: "c", version: "1" },
      { experimental: { junk: list(5_000) }, elicitation: {}, sampling: { context: {} } },
    );
    expect(capabilities).toEqual({ elicitation: {}, sampling: { context: {} } });
  });
});
