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
  toToolSource,
} from "../src/index.js";
import { createClient } from "tenon/testing";
import { type Host, HOSTS, INFO } from "./module-hosts.js";
import { noteGet, type NotesContext, PROMPTS, RESOURCES, TOOLS } from "./note-modules.js";

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

test("Z31: a handler is a function that a test calls directly", async () => {
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

test("Z31: a handler may be wrapped by another function", async () => {
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
  client.close();
});

describe.each(Object.entries(HOSTS))("Z32: modules on %s", (kind, open) => {
  let host: Host;
  beforeEach(async () => {
    host = await open(context);
  });
  afterEach(() => host.client.close());
  const call = (name: string, args: Record<string, unknown>) => host.client.callTool(name, args);

  test("all tools are listed", async () => {
    expect((await host.client.toolPages()).flat()).toEqual(TOOLS.map(({ name }) => name));
  });

  test("a tool takes the context that it was registered with, and gives what the client checks", async () => {
    await host.client.toolPages();
    expect(await call("note-get", { id: "1" })).toMatchObject({
      content: [{ type: "text", text: '{"type":"success","item":{"id":"1","text":"buy milk"}}' }],
      structuredContent: { type: "success", item: { id: "1", text: "buy milk" } },
    });
    expect(host.client.validations).toEqual([true]);
  });

  test("a plain value becomes a result; defaults are filled in", async () => {
    expect(await call("plain", {})).toMatchObject({ content: [{ type: "text", text: "ho ho" }] });
  });

  test("a result in two shapes", async () => {
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
    // The first generation of the SDK cannot show a schema of two shapes.
    expect(host.client.validations).toEqual(kind === "McpServer of version 1" ? [] : [true, true]);
  });

  test("pages follow each other to the end", async () => {
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
      content: [{ text: expect.stringContaining("call again without it") as string }],
    });
  });

  test("an error that was meant to be seen is seen", async () => {
    const result = await call("note-get", { id: "9" });
    expect(result).toMatchObject({ isError: true, content: [{ text: "There is no note 9" }] });
    expect(host.reported).toEqual([]);
  });

  test("an error of the official SDK is meant to be seen, on every server", async () => {
    const { isError, content } = await call("breaks", { how: "sdk" });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("not like that");
  });

  test.each(["error", "sync"])(
    "of any other (%s) the client hears nothing, the operator all",
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

  test("a failure that a handler returns is sent as it is; a result that its schema refuses is not", async () => {
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

  test("arguments are checked before the handler", async () => {
    expect(await call("note-get", { id: 7 })).toMatchObject({ isError: true });
  });

  test("what is known of a request, and progress", async () => {
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

  test("Z33: resources and families of them", async () => {
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

  test("Z33: prompts", async () => {
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

describe("what is wrong with a list of modules shows at once", () => {
  const good = defineToolModule({
    name: "good",
    description: "Is fine",
    inputSchema: z.object({}),
    handler: () => "ok",
  });
  const nameless = { ...good, name: "" };
  const idle = { ...good, handler: undefined as never };

  test.each<[string, readonly (typeof good)[], string]>([
    ["no name", [good, nameless], "The tool module 1 needs a name"],
    ["no handler", [idle], 'The tool module "good" needs a handler'],
    ["twice the same", [good, good], 'There are two tool modules "good"'],
    ["nothing at all", [undefined as never], "The tool module 0 needs a name"],
  ])("%s", (_, modules, message) => {
    const server = new McpServer(INFO);
    expect(() => registerTools(server, modules, {})).toThrow(new Error(message));
    expect(() => toToolSource(modules, {})).toThrow(new Error(message));
    expect(() => server.registerTool("good", {}, () => ({ content: [] }))).not.toThrow();
  });

  test.each<[string, () => McpServer | McpServer2]>([
    ["version 1", () => new McpServer(INFO)],
    ["version 2", () => new McpServer2(INFO)],
  ])("on an McpServer of %s, all or none: what was there already is left alone", (_, make) => {
    const server = registerTools(make(), [good], {});
    const other = { ...good, name: "other" };
    expect(() => registerTools(server, [other, good], {})).toThrow("Tool good is already registered");
    expect(() => registerTools(server, [other], {})).not.toThrow();
  });

  test("on a server of ours, all or none", async () => {
    const server = registerTools(defineServer(INFO), [good], {}).build();
    expect(() => registerTools(server, [{ ...good, name: "other" }, good], {})).toThrow(/good/);
    const client = await createClient(server);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["good"]);
    client.close();
  });

  test("a resource has a uri or a uriTemplate", () => {
    const text = () => "text";
    for (const wrong of [
      { name: "n", handler: text },
      { name: "n", uri: "a://b", uriTemplate: "a://{b}", handler: text },
    ]) {
      expect(() => registerResources(defineServer(INFO), [wrong], {})).toThrow(
        new Error('The resource module "n" needs a uri or a uriTemplate, and not both'),
      );
    }
  });

  test("a server must be one that takes modules", () => {
    const low = new SdkServer(INFO, { capabilities: {} }) as never;
    const rest = "needs a server of Tenon or an McpServer of the official SDK";
    expect(() => registerTools(low, TOOLS, context)).toThrow(new Error(`registerTools ${rest}`));
    expect(() => registerResources(low, RESOURCES, context)).toThrow(new Error(`registerResources ${rest}`));
    expect(() => registerPrompts(low, PROMPTS, context)).toThrow(new Error(`registerPrompts ${rest}`));
  });

  test("Z39: what else an application keeps on a module is not sent, and no state is kept", async () => {
    const module = { ...good, secret: "hunter22" };
    const [one, two] = [defineServer(INFO), defineServer(INFO)];
    const client = await createClient(registerTools(one, [module], {}));
    expect(JSON.stringify(await client.listTools())).not.toContain("hunter22");
    expect(two.build()).toBeDefined();
    client.close();
  });
});
