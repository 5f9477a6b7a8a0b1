/**
 * @fileoverview The `scopes` option of registrations, which the official SDK does not have.
 * @module tests/sdk/scopes
 */
import { createTool, ToolRegistry } from "tenon/grouped";
import { createClient } from "tenon/testing";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { exchangeOf, handle, modernRequest, request } from "../../../tests/support/requests.js";
import { completable, McpServer, ResourceTemplate } from "../src/index.js";
import {
  completable as completable2,
  createMcpHandler,
  McpServer as McpServer2,
  ResourceTemplate as ResourceTemplate2,
} from "../src/v2/index.js";
import { modern } from "./support/v2/http.js";

const INFO = { name: "facade", version: "1.0.0" };
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const contents = (uri: URL) => ({ contents: [{ uri: uri.href, text: "42" }] });
const message = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "x" } }] };
const scopes = ["admin"];

interface Spies {
  readonly tool: () => ReturnType<typeof text>;
  readonly list: () => { resources: { uri: string; name: string }[] };
}

const createSpies = (): Spies => ({
  tool: vi.fn(() => text("done")),
  list: vi.fn(() => ({ resources: [{ uri: "vault://gold", name: "gold" }] })),
});

/** A server with open registrations, and with hidden ones unless `spies` is missing. */
function createV1(spies?: Spies) {
  const server = new McpServer(INFO);
  server.registerTool("open", {}, () => text("open"));
  server.registerResource("readme", "doc://readme", {}, contents);
  server.registerPrompt("ask", { argsSchema: { a: completable(z.string(), () => ["x"]) } }, () => message);
  if (spies === undefined) return { server, handles: [] };
  const template = new ResourceTemplate("vault://{key}", {
    list: spies.list,
    complete: { key: () => ["gold"] },
  });
  const argsSchema = { a: completable(z.string(), () => ["attack"]) };
  const handles = [
    server.registerTool("wipe", { description: "Wipes", scopes }, spies.tool),
    server.registerResource("secret", "doc://secret", { mimeType: "text/plain", scopes }, contents),
    server.registerResource("vault", template, { scopes }, contents),
    server.registerPrompt("plan", { argsSchema, scopes }, () => message),
  ];
  return { server, handles };
}

function createV2(spies?: Spies, options: ConstructorParameters<typeof McpServer2>[1] = {}) {
  const server = new McpServer2(INFO, options);
  server.registerTool("open", {}, () => text("open"));
  server.registerResource("readme", "doc://readme", {}, contents);
  server.registerPrompt(
    "ask",
    { argsSchema: z.object({ a: completable2(z.string(), () => ["x"]) }) },
    () => message,
  );
  if (spies === undefined) return { server, handles: [] };
  const template = new ResourceTemplate2("vault://{key}", {
    list: spies.list,
    complete: { key: () => ["gold"] },
  });
  const argsSchema = z.object({ a: completable2(z.string(), () => ["attack"]) });
  const handles = [
    server.registerTool("wipe", { description: "Wipes", scopes }, spies.tool),
    server.registerResource("secret", "doc://secret", { mimeType: "text/plain", scopes }, contents),
    server.registerResource("vault", template, { scopes }, contents),
    server.registerPrompt("plan", { argsSchema, scopes }, () => message),
  ];
  return { server, handles };
}

/** The methods that both versions have, without the types in which they differ. */
interface Registering {
  registerTool(name: string, config: object, callback: unknown): unknown;
  registerResource(name: string, address: unknown, config: object, callback: unknown): unknown;
  registerPrompt(name: string, config: object, callback: unknown): unknown;
}

const VERSIONS = { "version 1": createV1, "version 2": createV2 } as const;
const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
const authOf = (held: readonly string[]) => ({ auth: { principal: "ada", scopes: held } });

const argument = { name: "a", value: "" };
const REQUESTS = [
  ["prompts/get", { name: "plan", arguments: { a: "x" } }],
  ["resources/read", { uri: "doc://secret" }],
  ["resources/read", { uri: "vault://gold" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "plan" }, argument }],
  ["completion/complete", { ref: { type: "ref/resource", uri: "vault://{key}" }, argument }],
  ["completion/complete", { ref: { type: "ref/resource", uri: "doc://secret" }, argument }],
] as const;

describe.each(Object.entries(VERSIONS))("registrations with scopes, %s", (_version, create) => {
  test.each(REVISIONS)("are not listed in %s for a caller that lacks the scopes", async (revision) => {
    const spies = createSpies();
    const server = create(spies).server.build();
    const client = await createClient(server, { revision, ...authOf([]) });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["open"]);
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(["doc://readme"]);
    expect(await client.listResourceTemplates()).toEqual([]);
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(["ask"]);
    expect(spies.list).not.toHaveBeenCalled();
  });

  test.each(REVISIONS)("are served in %s to a caller that has the scopes", async (revision) => {
    const server = create(createSpies()).server.build();
    for (const options of [authOf(["admin"]), {}]) {
      const client = await createClient(server, { revision, ...options });
      const tools = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["open", "wipe"]);
      const resources = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(["doc://readme", "doc://secret", "vault://gold"]);
      expect(JSON.stringify([tools, resources])).not.toContain("scopes");
      expect(await client.callTool("wipe")).toMatchObject(text("done"));
      expect(await client.readResource("vault://gold")).toMatchObject({ contents: [{ text: "42" }] });
    }
  });

  test.each(REVISIONS)("a call of a tool in %s is rejected with the required scopes", async (revision) => {
    const spies = createSpies();
    const client = await createClient(create(spies).server.build(), { revision, ...authOf(["other"]) });
    await expect(client.callTool("wipe")).rejects.toMatchObject({
      message: 'Tool "wipe" requires these scopes: admin.',
    });
    expect(spies.tool).not.toHaveBeenCalled();
  });

  test.each(["enabled", "disabled"] as const)(
    "look absent to a caller that lacks the scopes if they are %s",
    async (state) => {
      for (const [method, params] of REQUESTS) {
        const texts = await Promise.all(
          [createSpies(), undefined].flatMap((spies) =>
            [request, modernRequest].map(async (toMessage) => {
              const { server, handles } = create(spies);
              if (state === "disabled") for (const one of handles) one.disable();
              const era = toMessage === request ? "legacy" : "modern";
              const response = await handle(
                server.build(),
                toMessage(method, params),
                exchangeOf({ era }, authOf([])),
              );
              return response.toText();
            }),
          ),
        );
        const [legacy, stateless, absentLegacy, absentStateless] = texts;
        expect([legacy, stateless]).toEqual([absentLegacy, absentStateless]);
        expect(legacy).toContain('"error"');
      }
    },
  );

  test("say that they are disabled to a caller that has the scopes", async () => {
    const { server, handles } = create(createSpies());
    for (const one of handles) one.disable();
    for (const [method, params] of REQUESTS.slice(0, 2)) {
      const response = await handle(
        server.build(),
        request(method, params),
        exchangeOf({ era: "legacy" }, authOf(["admin"])),
      );
      expect(response.toText()).toContain("disabled");
    }
  });

  test("keep their scopes after an update", async () => {
    const { server, handles } = create(createSpies());
    for (const one of handles) one.title = "New";
    const client = await createClient(server.build(), authOf([]));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["open"]);
    expect(await client.listResourceTemplates()).toEqual([]);
  });

  test("must have an array of strings", () => {
    const server = create().server as Registering;
    const wrong = { scopes: "admin" }; // plain JavaScript may pass anything
    const problem = '`scopes` must be an array of strings; got "admin". Use `scopes: ["admin"]`.';
    expect(() => server.registerTool("t", wrong, () => text(""))).toThrow(
      new TypeError(`Tool "t": ${problem}`),
    );
    expect(() => server.registerPrompt("p", wrong, () => message)).toThrow(
      new TypeError(`Prompt "p": ${problem}`),
    );
    expect(() => server.registerResource("r", "a://b", wrong, contents)).toThrow(
      new TypeError(`Resource "r": ${problem}`),
    );
  });

  test("work for the actions of attached grouped tools", async () => {
    const { server } = create();
    new ToolRegistry()
      .register(
        createTool("users")
          .action({ name: "list", handler: () => "all" })
          .action({ name: "ban", scopes: ["admin"], handler: () => "banned" }),
      )
      .attachToServer(server);
    const client = await createClient(server.build(), authOf([]));
    expect(JSON.stringify(await client.listTools())).not.toContain("ban");
    await expect(client.callTool("users", { action: "ban" })).rejects.toMatchObject({
      message: 'Action "ban" of tool "users" requires these scopes: admin.',
    });
  });
});

describe("lists that depend on scopes, version 2", () => {
  const options = {
    cacheHints: {
      "tools/list": { ttlMs: 60_000, cacheScope: "public" },
      "resources/list": { ttlMs: 60_000, cacheScope: "public" },
    },
  } as const;
  const cacheOf = async (spies: Spies | undefined, method: string, held: readonly string[]) => {
    const server = createV2(spies, options).server.build();
    const response = await handle(server, modernRequest(method), exchangeOf({ era: "modern" }, authOf(held)));
    const { ttlMs, cacheScope } = (response.intoJsonRpc()?.result ?? {}) as Record<string, unknown>;
    return { ttlMs, cacheScope };
  };

  test("are private, whatever the cache hint says", async () => {
    for (const method of ["tools/list", "resources/list"]) {
      for (const held of [[], ["admin"]]) {
        expect(await cacheOf(createSpies(), method, held)).toEqual({ ttlMs: 60_000, cacheScope: "private" });
      }
      expect(await cacheOf(undefined, method, [])).toEqual({ ttlMs: 60_000, cacheScope: "public" });
    }
  });
});

describe("createMcpHandler", () => {
  const authInfo = { token: "t", clientId: "ada", scopes: ["other"] };
  const handler = (spies = createSpies()) =>
    createMcpHandler(() => {
      const { server } = createV2(spies);
      new ToolRegistry()
        .register(
          createTool("users")
            .action({ name: "list", handler: () => "all" })
            .action({ name: "ban", scopes: ["admin", "users"], handler: () => "banned" }),
        )
        .attachToServer(server);
      return server;
    });

  test("checks the scopes of the authorization that `fetch` receives", async () => {
    const spies = createSpies();
    const list = async (given: object) => (await handler(spies).fetch(modern("tools/list"), given)).text();
    expect(await list({ authInfo })).not.toMatch(/wipe|ban/);
    expect(await list({ authInfo: { ...authInfo, scopes: ["admin", "users"] } })).toMatch(/wipe.*ban/s);
    expect(await list({})).toMatch(/wipe.*ban/s);
    const response = await handler(spies).fetch(modern("resources/read", { uri: "doc://secret" }), {
      authInfo,
    });
    expect(await response.text()).toContain("Resource not found: doc://secret");
  });

  test("does not notify a listening caller of a resource that it may not see", async () => {
    const capabilities = { resources: { subscribe: true } };
    const listening = createMcpHandler(() => createV2(createSpies(), { capabilities }).server);
    const uris = ["doc://secret", "vault://gold", "doc://readme"];
    const notifications = { resourceSubscriptions: uris };
    const response = await listening.fetch(modern("subscriptions/listen", { notifications }), { authInfo });
    for (const uri of uris) listening.notify.resourceUpdated(uri);
    await listening.close();
    const events = await response.text();
    expect(events.match(/"uri":"[^"]*"/g)).toEqual(['"uri":"doc://readme"']);
  });

  test.each([
    ["a tool", { name: "wipe" }, "admin"],
    ["an action", { name: "users", arguments: { action: "ban" } }, "admin users"],
  ])("challenges a caller that lacks the scopes of %s", async (_case, params, scope) => {
    const spies = createSpies();
    const response = await handler(spies).fetch(modern("tools/call", params), { authInfo });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      403,
      `Bearer error="insufficient_scope", error_description="Insufficient scope", scope="${scope}"`,
    ]);
    expect(spies.tool).not.toHaveBeenCalled();
  });
});

describe("values of a resource template", () => {
  test.each(Object.entries(VERSIONS))(
    "reach the callback as they are written in the URI, if they are one path segment, %s",
    async (version) => {
      const seen: unknown[] = [];
      const read = (uri: URL, variables: object) => (seen.push({ ...variables }), contents(uri));
      const server = version === "version 1" ? new McpServer(INFO) : new McpServer2(INFO);
      const Template = version === "version 1" ? ResourceTemplate : ResourceTemplate2;
      const template = new Template("files://x/{name}", { list: undefined });
      (server as Registering).registerResource("files", template, {}, read);
      const client = await createClient(server.build());
      for (const name of ["a%20b", "%2500", "%C3%28"]) await client.readResource(`files://x/${name}`);
      const unsafe = ["..%2fsecret", "a%5cb", "%2e%2e", "a%00"];
      for (const name of [...unsafe, "..%2f..%2fetc%ff", "..%2fetc%zz", "..%2fetc%", "..%u002fetc"])
        await expect(client.readResource(`files://x/${name}`)).rejects.toThrow("not found");
      expect(seen).toEqual([{ name: "a%20b" }, { name: "%2500" }, { name: "%C3%28" }]);
    },
  );
});
