import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer, extension, McpError, type ServerOptions } from "../../src/index.js";
import { REVISIONS } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import { ClientError } from "../../src/client/errors.js";
import {
  exchangeOf,
  handle,
  modernRequest,
  replyTo,
  request,
  toolCall,
} from "../../../../tests/support/requests.js";

const info: ServerOptions = { name: "a", version: "1" };

function serverOf(count: number, options: Partial<ServerOptions> = {}) {
  const builder = defineServer({ ...info, ...options });
  for (let index = 0; index < count; index++) builder.tool(`t${index}`, { handler: () => `${index}` });
  return builder.build();
}

describe("pages", () => {
  test.each(REVISIONS)("%s lists all items in order", async (revision) => {
    const client = await createClient(serverOf(7, { pageSize: 3 }), { revision });
    expect((await client.listTools()).map(({ name }) => name)).toEqual([
      "t0",
      "t1",
      "t2",
      "t3",
      "t4",
      "t5",
      "t6",
    ]);
  });

  test("a full last page does not have a cursor", async () => {
    const { result } = await replyTo(serverOf(3, { pageSize: 3 }), request("tools/list"));
    expect(result).not.toHaveProperty("nextCursor");
  });

  test("cursors are the same on every node and invalid after the list has changed", async () => {
    const cursorOf = async (server: ReturnType<typeof serverOf>) =>
      ((await replyTo(server, request("tools/list"))).result as { nextCursor: string }).nextCursor;
    const server = serverOf(4, { pageSize: 3 });
    const cursor = await cursorOf(server);
    expect(await cursorOf(serverOf(4, { pageSize: 3 }))).toBe(cursor);
    expect((await replyTo(server, request("tools/list", { cursor }))).result).toMatchObject({
      tools: [{ name: "t3" }],
    });
    server.update((editor) => editor.tool("new", { handler: () => "" }));
    expect((await replyTo(server, request("tools/list", { cursor }))).error).toEqual({
      code: -32602,
      message: "The cursor is invalid or outdated. Request the first page again.",
    });
  });
});

describe("scopes", () => {
  const server = defineServer(info)
    .tool("open", { handler: () => "open" })
    .tool("read", { scopes: ["read"], handler: () => "read" })
    .tool("admin", { scopes: ["read", "write"], handler: () => "admin" })
    .resource("r", { uri: "doc://r", scopes: ["read"], handler: () => "r" })
    .prompt("p", { scopes: ["read"], handler: () => "p" })
    .build();
  const clientOf = (scopes: readonly string[], revision = "2026-07-28" as const) =>
    createClient(server, { revision, auth: { principal: "ada", scopes } });

  test.each([
    [[], ["open"]],
    [["other"], ["open"]],
    [["read"], ["open", "read"]],
    [
      ["write", "read"],
      ["open", "read", "admin"],
    ],
  ])("a principal with %j sees %j", async (scopes, names) => {
    const client = await clientOf(scopes);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(names);
  });

  test("without authorization, everything is visible", async () => {
    const client = await createClient(server);
    expect(await client.listTools()).toHaveLength(3);
    expect((await client.callTool("admin", {})).content).toEqual([{ type: "text", text: "admin" }]);
  });

  test("a list that varies by principal is private, and principals with the same scopes share one view", async () => {
    const page = async (scopes: readonly string[]) =>
      (
        await handle(
          server,
          modernRequest("tools/list"),
          exchangeOf({ era: "modern" }, { auth: { principal: "x", scopes } }),
        )
      ).parts();
    for (const scopes of [[], ["read"], ["read", "write"]]) {
      const { payload } = await page(scopes);
      expect(new TextDecoder().decode(payload as Uint8Array)).toContain('"cacheScope":"private"');
      expect((await page([...scopes, "unrelated"])).payload).toBe(payload);
    }
  });

  test("the number of views is limited, and an evicted view is rebuilt", async () => {
    const builder = defineServer(info);
    for (let index = 0; index < 70; index++)
      builder.tool(`t${index}`, { scopes: [`s${index}`], handler: () => "" });
    const many = builder.build();
    const page = async (scope: string) =>
      (
        await handle(
          many,
          request("tools/list"),
          exchangeOf({}, { auth: { principal: "x", scopes: [scope] } }),
        )
      ).parts().payload;
    const first = await page("s0");
    expect(await page("s0")).toBe(first);
    for (let index = 1; index < 70; index++) await page(`s${index}`);
    const again = await page("s0");
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });

  test("a call beyond the principal's scopes is rejected with the required scopes", async () => {
    const exchange = exchangeOf({ era: "modern" }, { auth: { principal: "ada", scopes: ["read"] } });
    const response = await handle(server, modernRequest("tools/call", { name: "admin" }), exchange);
    expect(response).toMatchObject({ status: 403, error: "INSUFFICIENT_SCOPE" });
    expect(response.intoJsonRpc()?.error).toEqual({
      code: -32600,
      message: 'Tool "admin" requires these scopes: read, write.',
      data: { requiredScopes: ["read", "write"] },
    });
  });

  test("a resource or prompt beyond the principal's scopes is not found", async () => {
    const client = await clientOf([]);
    await expect(client.readResource("doc://r")).rejects.toMatchObject({
      code: -32602,
      message: "resource not found",
    });
    await expect(client.getPrompt("p")).rejects.toThrow("Unknown prompt: p");
    await expect(
      client.complete({ type: "ref/prompt", name: "p" }, { name: "a", value: "" }),
    ).rejects.toBeInstanceOf(ClientError);
    expect(await client.listResources()).toEqual([]);
  });
});

describe("update", () => {
  test("the snapshot is replaced as a whole, and calls in flight finish on the old one", async () => {
    let finish = (_value: string) => {};
    const server = defineServer(info)
      .tool("slow", { handler: () => new Promise<string>((resolve) => (finish = resolve)) })
      .build();
    const client = await createClient(server);
    const under = client.callTool("slow", {});
    await new Promise((resolve) => setTimeout(resolve, 1));
    server.update((editor) => editor.removeTool("slow").tool("fast", { handler: () => "fast" }));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["fast"]);
    await expect(client.callTool("slow", {})).rejects.toMatchObject({ code: -32601 });
    finish("done");
    expect((await under).content).toEqual([{ type: "text", text: "done" }]);
  });

  test("definitions can be added and removed, and clients are notified of changes", async () => {
    const heard: string[] = [];
    const server = defineServer(info).build();
    server.onChange((change) => heard.push(change.kind));
    server.update((editor) => editor.tool("t", { handler: () => "" }));
    server.update((editor) => editor.resource("r", { uri: "doc://r", handler: () => "" }));
    server.update((editor) =>
      editor.resourceTemplate("f", { uriTemplate: "doc://f/{id}", handler: () => "" }),
    );
    server.update((editor) => editor.prompt("p", { handler: () => "" }));
    server.update((editor) => editor.set({ instructions: "New." }));
    server.update((editor) => editor.use((_operation, next) => next()));
    expect(heard.splice(0)).toEqual(["tools", "resources", "resources", "prompts"]);
    server.update((editor) =>
      editor.removeTool("t").removeResource("r").removeResourceTemplate("f").removePrompt("p"),
    );
    expect(heard).toEqual(["tools", "resources", "prompts"]);
    const client = await createClient(server);
    expect(client.server["instructions"]).toBe("New.");
    expect(await client.listTools()).toEqual([]);
  });

  test("a failed update leaves the definitions unchanged", async () => {
    const server = serverOf(1);
    const heard: unknown[] = [];
    server.onChange((change) => heard.push(change));
    expect(() => server.update((editor) => editor.tool("t0", { handler: () => "" }))).toThrow(
      'Tool "t0" is already defined. Names must be unique.',
    );
    expect(() => server.update((editor) => editor.removeTool("nope"))).toThrow(
      'Tool "nope" is not defined, so it cannot be removed.',
    );
    expect((await replyTo(server, toolCall("t0"))).result).toMatchObject({ content: [{ text: "0" }] });
    expect(heard).toEqual([]);
  });

  test("declared tools keep their handlers", async () => {
    const server = defineServer(info)
      .tools([{ name: "d", inputSchema: { type: "object" } }])
      .build();
    server.handleTool("d", { call: () => "kept" });
    server.update((editor) => editor.tool("new", { handler: () => "" }));
    expect((await replyTo(server, toolCall("d"))).result).toMatchObject({ content: [{ text: "kept" }] });
  });

  test("a builder can build several independent servers", async () => {
    const builder = defineServer(info).tool("t", { handler: () => "" });
    const first = builder.build();
    const second = builder.tool("u", { handler: () => "" }).build();
    expect(await (await createClient(first)).listTools()).toHaveLength(1);
    expect(await (await createClient(second)).listTools()).toHaveLength(2);
  });
});

describe("views by tag", () => {
  const server = defineServer(info)
    .tool("public", { tags: ["public", "core"], handler: () => "public" })
    .tool("admin", { tags: ["admin", "core"], handler: () => "admin" })
    .tool("plain", { handler: () => "plain" })
    .build();

  test.each([
    [{ tags: ["core", "public"] }, ["public"]],
    [{ anyTag: ["public", "admin"] }, ["public", "admin"]],
    [{ exclude: ["admin"] }, ["public", "plain"]],
    [{ tags: [], anyTag: [], exclude: [] }, ["public", "admin", "plain"]],
    [{ tags: ["core"], exclude: ["admin"] }, ["public"]],
  ])("%j shows %j and rejects the others", async (filter, names) => {
    const client = await createClient(server.view(filter));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(names);
    for (const name of ["public", "admin", "plain"] as const) {
      const call = client.callTool(name, {});
      if (names.includes(name)) expect((await call).content).toEqual([{ type: "text", text: name }]);
      else await expect(call).rejects.toMatchObject({ code: -32601 });
    }
  });

  test("a view reflects its server's updates", async () => {
    const base = defineServer(info)
      .tool("a", { tags: ["x"], handler: () => "a" })
      .build();
    const view = base.view({ tags: ["x"] });
    base.update((editor) =>
      editor.tool("b", { tags: ["x"], handler: () => "b" }).tool("c", { handler: () => "c" }),
    );
    expect((await (await createClient(view)).listTools()).map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

describe("extensions", () => {
  const ledger = extension({
    id: "com.example/ledger",
    capability: { currency: "EUR" },
    methods: {
      "ledger/balance": { handler: ({ account }) => ({ account, cents: 5 }) },
      "ledger/open": {
        eras: ["legacy", "modern"],
        handler: async () => ({ resultType: "opened", _meta: { a: 1 } }),
      },
      "ledger/fail": {
        handler: () => {
          throw new McpError("CONFLICT", "already open");
        },
      },
      "ledger/crash": { handler: () => Promise.reject(new Error("secret")) },
      "ledger/ask": { handler: async (_params, call) => ({ roots: await call.roots("r") }) },
    },
    middleware: [async (operation, next) => ({ ...(await next()), _meta: { seen: operation.name } })],
  });
  const server = defineServer(info)
    .extension(ledger)
    .tool("t", { handler: () => "x" })
    .build();

  test("are declared in revisions that support them, and their methods work", async () => {
    const client = await createClient(server, { revision: "2026-07-28", roots: [] });
    expect(client.server["capabilities"]).toMatchObject({
      extensions: { "com.example/ledger": { currency: "EUR" } },
    });
    expect(await client.request("ledger/balance", { account: "a" })).toMatchObject({
      resultType: "complete",
      account: "a",
      cents: 5,
    });
    expect(await client.request("ledger/open")).toMatchObject({ resultType: "opened", _meta: { a: 1 } });
    await expect(client.request("ledger/fail")).rejects.toMatchObject({
      code: -32600,
      message: "already open",
    });
    await expect(client.request("ledger/crash")).rejects.toMatchObject({
      code: -32603,
      message: "Internal error",
    });
    await expect(client.request("ledger/ask")).rejects.toThrow(
      '"ledger/ask" cannot request input from the client. Only these methods can: tools/call, prompts/get, resources/read.',
    );
    expect((await client.callTool("t", {}))._meta).toMatchObject({ seen: "t" });
  });

  test("each era supports only its own methods, and legacy results do not contain a result type", async () => {
    const client = await createClient(server);
    await expect(client.request("ledger/balance")).rejects.toMatchObject({ code: -32601 });
    expect(await client.request("ledger/open")).toEqual({ _meta: { a: 1 } });
  });

  test.each([
    [
      () => extension({ id: "nope" }),
      'Extension "nope": `id` must be an ID of the form "vendor.example/name"; got "nope".',
    ],
    [
      () => defineServer(info).extension(ledger).extension(ledger).build(),
      'Extension "com.example/ledger" is already defined. IDs must be unique.',
    ],
    [
      () =>
        defineServer(info)
          .extension(extension({ id: "a/b", methods: { "tools/call": { handler: () => ({}) } } }))
          .build(),
      'Extension "a/b": the method "tools/call" is part of MCP. Rename it.',
    ],
    [
      () =>
        defineServer(info)
          .extension(extension({ id: "a/b", methods: { "notifications/x": { handler: () => ({}) } } }))
          .build(),
      'Extension "a/b": the method "notifications/x" is a notification. Extensions can only add requests. Rename it.',
    ],
    [
      () =>
        defineServer(info)
          .extension(ledger)
          .extension(extension({ id: "a/b", methods: { "ledger/balance": { handler: () => ({}) } } }))
          .build(),
      'Extension "a/b": the method "ledger/balance" is already defined by extension "com.example/ledger". Method names must be unique.',
    ],
  ])("an invalid extension is rejected (%#)", (define, reason) => {
    expect(define).toThrow(reason);
  });
});

describe("server info", () => {
  const full = {
    name: "full",
    version: "2",
    title: "Full",
    description: "All of it",
    websiteUrl: "https://example.com",
    icons: [{ src: "data:,", mimeType: "image/png", sizes: ["48x48"] }],
    instructions: "Read me.",
    experimental: { x: {} },
  };
  const server = defineServer(full)
    .tool("t", {
      title: "T",
      description: "Tool",
      input: z.object({}),
      icons: full.icons,
      _meta: { m: 1 },
      annotations: { title: "T" },
      handler: () => "",
    })
    .build();

  test.each(REVISIONS)("%s receives the members that it supports", async (revision) => {
    const client = await createClient(server, { revision });
    const card = (client.server["serverInfo"] ??
      (client.server["_meta"] as Record<string, unknown>)["io.modelcontextprotocol/serverInfo"]) as object;
    expect("title" in card).toBe(revision >= "2025-06-18");
    expect("icons" in card).toBe(revision >= "2025-11-25");
    expect(client.server["instructions"]).toBe("Read me.");
    const [tool = {}] = await client.listTools();
    expect("annotations" in tool).toBe(revision >= "2025-03-26");
    expect("_meta" in tool).toBe(revision >= "2025-06-18");
    expect("icons" in tool).toBe(revision >= "2025-11-25");
  });
});
