import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import express from "express";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { McpServer } from "../../../sdk/src/v1/mcp-server.js";
import { GroupedToolBuilder, success, ToolRegistry } from "tenon/grouped";
import {
  definePromptModule,
  defineResourceModule,
  defineToolModule,
  registerPrompts,
  registerResources,
  registerTools,
  setupHttpServer,
  setupStdioServer,
} from "../../src/index.js";
import { createClient } from "../../../tenon/src/testing/index.js";
import { createFacade } from "../../../sdk/tests/support/facade-server.js";
import { checkRepliesOf } from "../../../../tests/support/check-every-reply.js";
import { DropInServer } from "../../../sdk/src/server/drop-in-server.js";

checkRepliesOf(DropInServer);

const facade = () => new McpServer({ name: "host", version: "1.0.0" });

describe("McpServer facade as a host", () => {
  test("Z32: accepts modules like the official server", async () => {
    const server = facade();
    const sum = defineToolModule({
      name: "sum",
      description: "Adds",
      inputSchema: z.object({ a: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      handler: ({ a }, _extra, { plus }: { readonly plus: number }) => ({ sum: a + plus }),
    });
    const note = defineResourceModule({
      name: "note",
      uriTemplate: "notes://{id}",
      handler: ({ uri }) => `at ${uri}`,
    });
    const ask = definePromptModule({
      name: "ask",
      argsSchema: z.object({ what: z.string() }),
      handler: ({ what }) => what,
    });
    registerTools(server, [sum], { plus: 2 });
    registerResources(server, [note], {});
    registerPrompts(server, [ask], {});
    const client = await createClient(server.build());
    expect(await client.callTool("sum", { a: 1 })).toEqual({
      content: [{ type: "text", text: '{"sum":3}' }],
      structuredContent: { sum: 3 },
    });
    expect(await client.readResource("notes://7")).toEqual({
      contents: [{ uri: "notes://7", text: "at notes://7" }],
    });
    expect((await client.getPrompt("ask", { what: "why" })).messages).toEqual([
      { role: "user", content: { type: "text", text: "why" } },
    ]);
  });

  const grouped = () => {
    const registry = new ToolRegistry();
    registry.register(
      new GroupedToolBuilder("notes").action({
        name: "add",
        schema: z.object({ text: z.string() }),
        handler: async (_ctx, { text }) => success(`added ${text}`),
      }),
    );
    return registry;
  };

  test("F68: grouped tools can attach and detach", async () => {
    const server = facade();
    const detach = grouped().attachToServer(server);
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    const client = new Client({ name: "v1", version: "1" });
    await client.connect(near);
    expect(await client.callTool({ name: "notes", arguments: { action: "add", text: "x" } })).toMatchObject({
      content: [{ type: "text", text: "added x" }],
    });
    detach();
    expect((await client.listTools()).tools).toEqual([]);
    await client.close();
  });

  test("grouped tools attached to the underlying server work alongside its own tools", async () => {
    const server = facade();
    server.registerTool("own", {}, () => ({ content: [{ type: "text", text: "own" }] }));
    grouped().attachToServer(server.build());
    server.registerTool("later", {}, () => ({ content: [{ type: "text", text: "later" }] }));
    const client = await createClient(server.build());
    expect((await client.listTools()).map(({ name }) => name).toSorted()).toEqual(["later", "notes", "own"]);
    expect((await client.callTool("notes", { action: "add", text: "x" })).content).toEqual([
      { type: "text", text: "added x" },
    ]);
  });

  test("rejects a name in use on the underlying server, and still responds to every message", async () => {
    const server = facade();
    const own = server.registerTool("notes", {}, () => ({ content: [{ type: "text", text: "own" }] }));
    own.disable();
    grouped().attachToServer(server.build());
    expect(() => own.enable()).toThrow("Tool notes is already registered");
    expect(own.enabled).toBe(false);
    const other = facade();
    grouped().attachToServer(other.build());
    expect(() => other.registerTool("notes", {}, () => ({}))).toThrow("Tool notes is already registered");
    const client = await createClient(other.build());
    expect(await client.listTools()).toHaveLength(1);
  });

  test("Z11: kit serves it over HTTP, per session or shared", async () => {
    for (const serverFactory of [() => createFacade(), () => createFacade().build()]) {
      const { httpServer, close } = await setupHttpServer({ serverFactory, app: express(), port: 0 });
      const address = httpServer.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const client = new Client({ name: "v1", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
      expect((await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).structuredContent).toEqual({
        sum: 3,
      });
      await client.close();
      await close(100);
    }
  });

  test("kit serves it over stdio", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = setupStdioServer({ serverFactory: createFacade, streams: { input, output } });
    input.write(
      `${JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } },
      })}\n`,
    );
    const [line] = (await output.take(1).toArray()) as Buffer[];
    expect(JSON.parse(String(line))).toMatchObject({ id: 1, result: { serverInfo: { name: "facade" } } });
    input.end();
    await served;
  });
});
