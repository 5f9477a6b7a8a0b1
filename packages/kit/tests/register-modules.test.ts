import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Server as SdkServer } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import {
  createExtra,
  defineToolModule,
  registerPrompts,
  registerResources,
  registerTools,
} from "../src/index.js";
import { toToolSource } from "../src/modules/register-modules.js";
import { createClient } from "tenon/testing";
import { type Host, HOSTS, INFO } from "./support/module-hosts.js";
import { noteGet, type NotesContext, PROMPTS, RESOURCES, TOOLS } from "./support/note-modules.js";

const context: NotesContext = {
  notes: new Map([
    ["1", "buy milk"],
    ["2", "call Grace"],
    ["3", "milk the cow"],
    ["4", "broken"],
    ["5", "x".repeat(150)],
    ["6", "y".repeat(150)],
  ]),
};

test("Z31: a test can call a handler directly", async () => {
  expect(await noteGet.handler({ id: "1" }, createExtra(), context)).toEqual({
    content: [{ type: "text", text: '{"type":"success","item":{"id":"1","text":"buy milk"}}' }],
    structuredContent: { type: "success", item: { id: "1", text: "buy milk" } },
  });
  const extra = createExtra({ _meta: { accountId: "ada" } });
  expect([extra._meta, extra.signal.aborted, await extra.progress(1)]).toEqual([
    { accountId: "ada" },
    false,
    undefined,
  ]);
});

test("Z31: a handler can be wrapped in a different function", async () => {
  const seen: string[] = [];
  const logged = {
    ...noteGet,
    handler: (...given: Parameters<typeof noteGet.handler>) => {
      seen.push(given[0].id);
      return noteGet.handler(...given);
    },
  };
  const client = await createClient(registerTools(defineServer(INFO), [logged], context));
  expect(await client.request("tools/call", { name: "note-get", arguments: { id: "2" } })).toMatchObject({
    structuredContent: { item: { text: "call Grace" } },
  });
  expect(seen).toEqual(["2"]);
  await client.close();
});

describe.each(Object.entries(HOSTS))("Z32: modules on %s", (kind, open) => {
  let host: Host;
  beforeEach(async () => {
    host = await open(context);
  });
  afterEach(() => host.client.close());
  const call = (name: string, args: Record<string, unknown>) => host.client.callTool(name, args);

  test("lists all tools", async () => {
    expect((await host.client.toolPages()).flat()).toEqual(TOOLS.map(({ name }) => name));
  });

  test("a tool receives its context and returns a result that passes client validation", async () => {
    await host.client.toolPages();
    expect(await call("note-get", { id: "1" })).toMatchObject({
      content: [{ type: "text", text: '{"type":"success","item":{"id":"1","text":"buy milk"}}' }],
      structuredContent: { type: "success", item: { id: "1", text: "buy milk" } },
    });
    expect(host.client.validations).toEqual([true]);
  });

  test("converts a plain value to a result and applies defaults", async () => {
    expect(await call("plain", {})).toMatchObject({ content: [{ type: "text", text: "ho ho" }] });
  });

  test("returns a result in two shapes", async () => {
    await host.client.toolPages();
    expect((await call("note-search", { text: "milk" }))["structuredContent"]).toEqual({
      type: "success",
      shape: "objects",
      items: [
        { id: "1", text: "buy milk" },
        { id: "3", text: "milk the cow" },
      ],
    });
    const { structuredContent } = await call("note-search", { text: "milk", shape: "arrays" });
    expect(structuredContent).toEqual({
      type: "success",
      shape: "arrays",
      columns: ["id", "text"],
      rows: [
        ["1", "buy milk"],
        ["3", "milk the cow"],
      ],
    });
    // Version 1 of the SDK cannot list a schema with two shapes.
    expect(host.client.validations).toEqual(kind === "McpServer of version 1" ? [] : [true, true]);
  });

  test("pages can be followed to the end", async () => {
    const ids: string[] = [];
    let pageToken: string | undefined;
    let pages = 0;
    do {
      const { structuredContent } = await call("note-list", pageToken === undefined ? {} : { pageToken });
      const page = structuredContent as { items: { id: string }[]; nextPageToken?: string };
      ids.push(...page.items.map(({ id }) => id));
      pageToken = page.nextPageToken;
      pages++;
    } while (pageToken !== undefined);
    expect(ids).toEqual([...context.notes.keys()]);
    expect(pages).toBeGreaterThan(1);
    expect(await call("note-list", { pageToken: "forged" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Call again without it") as string }],
    });
  });

  test("sends an McpError to the client", async () => {
    const result = await call("note-get", { id: "9" });
    expect(result).toMatchObject({ isError: true, content: [{ text: "There is no note 9" }] });
    expect(host.reported).toEqual([]);
  });

  test("sends an official SDK error to the client on every server", async () => {
    const { isError, content } = await call("breaks", { how: "sdk" });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("not like that");
  });

  test.each(["error", "sync"])(
    "hides any other error (%s) from the client and reports it on the server",
    async (how) => {
      const result = await call("breaks", { how });
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: "text", text: "Tool breaks failed" }],
      });
      expect(JSON.stringify(result)).not.toMatch(/hunter22|postgres|at /);
      expect(String(host.reported[0])).toBe("Error: postgres://ada:hunter22@db failed");
    },
  );

  test("sends a returned error unchanged, but not a result that fails its schema", async () => {
    expect(await call("breaks", { how: "result" })).toMatchObject({
      isError: true,
      content: [{ text: "sorry" }],
    });
    expect(await call("breaks", { how: "output" })).toMatchObject({
      isError: true,
      content: [{ text: "Tool breaks failed" }],
    });
    expect(host.reported).toHaveLength(1);
  });

  test("validates arguments before the handler runs", async () => {
    expect(await call("note-get", { id: 7 })).toMatchObject({ isError: true });
  });

  test("provides request data and progress", async () => {
    const onprogress = vi.fn<(progress: unknown) => void>();
    const { content } = await host.client.callTool("looks", {}, { meta: { accountId: "ada" }, onprogress });
    const [{ text }] = content as [{ text: string }];
    expect(JSON.parse(text)).toEqual({
      account: "ada",
      aborted: false,
      hasId: true,
      hasRaw: true,
      auth: null,
    });
    await vi.waitFor(() =>
      expect(onprogress).toHaveBeenCalledWith(expect.objectContaining({ progress: 1, total: 2 })),
    );
  });

  test("Z33: serves resources and templates", async () => {
    expect(await host.client.resources()).toEqual(["notes://count", "notes://bytes"]);
    expect(await host.client.templates()).toEqual(["notes://note/{id}"]);
    expect(await host.client.readResource("notes://count")).toEqual([
      { uri: "notes://count", mimeType: "text/plain", text: "notes://count 6" },
    ]);
    expect(await host.client.readResource("notes://bytes")).toEqual([{ uri: "notes://bytes", blob: "AQID" }]);
    expect(await host.client.readResource("notes://note/2")).toEqual([
      { uri: "notes://note/2", text: "call Grace" },
    ]);
    const missing = host.client.readResource("notes://note/9");
    await expect(missing).rejects.toMatchObject({
      message: expect.stringContaining("There is no note 9") as string,
    });
    const broken = host.client.readResource("notes://note/4");
    await expect(broken).rejects.toMatchObject({
      message: expect.not.stringContaining("hunter22") as string,
    });
    expect(String(host.reported[0])).toBe("Error: hunter22");
  });

  test("Z33: serves prompts", async () => {
    expect(await host.client.prompts()).toEqual(["summarize", "greet"]);
    expect(await host.client.getPrompt("summarize", { id: "1", tone: "merry" })).toEqual([
      { role: "user", content: { type: "text", text: "Summarize in a merry tone: buy milk" } },
    ]);
    expect(await host.client.getPrompt("greet", {})).toEqual([
      { role: "assistant", content: { type: "text", text: "Hello" } },
    ]);
    await expect(host.client.getPrompt("summarize", {})).rejects.toThrow();
  });
});

describe("invalid module lists fail immediately", () => {
  const good = defineToolModule({
    name: "good",
    description: "Is fine",
    inputSchema: z.object({}),
    handler: () => "ok",
  });
  const nameless = { ...good, name: "" };
  const idle = { ...good, handler: undefined as never };

  test.each<[string, readonly (typeof good)[], string]>([
    ["no name", [good, nameless], 'Tool module at index 1: `name` must be a non-empty string; got "".'],
    ["no handler", [idle], 'Tool "good": `handler` must be a function; got undefined.'],
    ["a duplicate", [good, good], 'Tool "good" is already defined. Names must be unique.'],
    [
      "undefined",
      [undefined as never],
      "Tool module at index 0: `name` must be a non-empty string; got undefined.",
    ],
  ])("%s", (_, modules, message) => {
    const server = new McpServer(INFO);
    expect(() => registerTools(server, modules, {})).toThrow(new Error(message));
    expect(() => toToolSource(modules, {})).toThrow(new Error(message));
    expect(() => server.registerTool("good", {}, () => ({ content: [] }))).not.toThrow();
  });

  test.each<[string, () => McpServer | McpServer2]>([
    ["version 1", () => new McpServer(INFO)],
    ["version 2", () => new McpServer2(INFO)],
  ])("on an McpServer of %s, registers all or none and keeps existing tools", (_, make) => {
    const server = registerTools(make(), [good], {});
    const other = { ...good, name: "other" };
    expect(() => registerTools(server, [other, good], {})).toThrow("Tool good is already registered");
    expect(() => registerTools(server, [other], {})).not.toThrow();
  });

  test("on a Tenon server, registers all or none", async () => {
    const server = registerTools(defineServer(INFO), [good], {}).build();
    expect(() => registerTools(server, [{ ...good, name: "other" }, good], {})).toThrow(/good/);
    const client = await createClient(server);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["good"]);
    await client.close();
  });

  test("a resource requires either a uri or a uriTemplate", () => {
    const text = () => "text";
    for (const [wrong, got] of [
      [{ name: "n", handler: text }, "neither"],
      [{ name: "n", uri: "a://b", uriTemplate: "a://{b}", handler: text }, "both"],
    ] as const) {
      expect(() => registerResources(defineServer(INFO), [wrong], {})).toThrow(
        new Error(`Resource "n": set exactly one of \`uri\` and \`uriTemplate\`; got ${got}.`),
      );
    }
  });

  test("rejects a server that does not accept modules", () => {
    const low = new SdkServer(INFO, { capabilities: {} }) as never;
    const expected = (name: string) =>
      new Error(
        `The first argument of \`${name}\` must be a Tenon builder, a Tenon server, or an official SDK ` +
          "`McpServer`; got an object.",
      );
    expect(() => registerTools(low, TOOLS, context)).toThrow(expected("registerTools"));
    expect(() => registerResources(low, RESOURCES, context)).toThrow(expected("registerResources"));
    expect(() => registerPrompts(low, PROMPTS, context)).toThrow(expected("registerPrompts"));
  });

  test("Z39: does not send other members of a module, and keeps no state", async () => {
    const module = { ...good, secret: "hunter22" };
    const [one, two] = [defineServer(INFO), defineServer(INFO)];
    const client = await createClient(registerTools(one, [module], {}));
    expect(JSON.stringify(await client.listTools())).not.toContain("hunter22");
    expect(two.build()).toBeDefined();
    await client.close();
  });
});
