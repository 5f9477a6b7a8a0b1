import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/core/define-server.js";
import type { Exposition } from "../../src/core/definitions/tool.js";
import { createTool, ToolRegistry } from "../../src/grouped/index.js";
import { catalog, CATALOG_META, type Group, Prompt, Resource, Tool } from "../../src/model/index.js";
import { createClient } from "../../src/testing/index.js";

/** Returns the names below a group as nested data. */
function outline(group: Group): unknown {
  const tools = group.childTools.map(({ name }) => name);
  return group.childGroups.length === 0
    ? tools
    : [...tools, ...group.childGroups.map((child) => ({ [child.name]: outline(child) }))];
}

/** Returns every tool below a group with its path. */
function toolsBelow(group: Group): readonly { readonly path: string; readonly tool: Tool }[] {
  const own = group.childTools.map((tool) => ({
    path: `${group.getFullyQualifiedName("/")}/${tool.name}`,
    tool,
  }));
  return [...own, ...group.childGroups.flatMap(toolsBelow)];
}

const INFO = { name: "shop", version: "1.0.0", title: "Shop", description: "Sells things" };

function createUsers() {
  return createTool("users")
    .description("Manage users")
    .tags("people", "core")
    .commonSchema(z.object({ tenant: z.string() }))
    .discriminator("do")
    .action({ name: "list", readOnly: true, handler: (_ctx, { tenant }) => `list of ${tenant}` })
    .action({
      name: "ban",
      description: "Ban a user",
      schema: z.object({ id: z.string() }),
      destructive: true,
      handler: (_ctx, { id, tenant }) => `ban ${id} of ${tenant}`,
    });
}

function createPlatform() {
  return createTool("platform")
    .group("billing", "Money", (g) =>
      g.action({
        name: "refund",
        schema: z.object({ id: z.string() }),
        handler: (_ctx, { id }) => `refund ${id}`,
      }),
    )
    .group("reports", (g) => g.action({ name: "daily", handler: () => "daily" }));
}

function createShop(expose: Exposition) {
  return defineServer(INFO)
    .tool("ping", { title: "Ping", description: "Says pong", tags: ["probe"], handler: () => "pong" })
    .tools(createUsers(), { expose })
    .tools(new ToolRegistry().register(createPlatform()), { expose })
    .tool("plain", { handler: () => "plain" });
}

describe.each(["grouped", "flat"] as const)("a server's catalog, %s", (expose) => {
  test("has the plain tools at the root, and a tree for each grouped tool", () => {
    const root = catalog(createShop(expose));
    expect(root).toMatchObject({ name: "shop", title: "Shop", description: "Sells things" });
    expect(root.parent).toBeUndefined();
    expect(outline(root)).toEqual([
      "ping",
      "plain",
      { users: ["list", "ban"] },
      { platform: [{ billing: ["refund"] }, { reports: ["daily"] }] },
    ]);
    const [users, platform] = root.childGroups;
    expect(users?.description).toBe("Manage users");
    const descriptions = platform?.childGroups.map(({ description }) => description);
    expect(descriptions).toEqual(["Money", undefined]);
    expect(platform?.childGroups[0]?.getFullyQualifiedName()).toBe("shop.platform.billing");
  });

  test("describes every action's input, hints, and tags", () => {
    const root = catalog(createShop(expose));
    const ban = toolsBelow(root).find(({ path }) => path === "shop/users/ban")?.tool;
    expect(ban).toBeInstanceOf(Tool);
    expect(ban?.description).toBe("Ban a user");
    expect(ban?.inputSchema).toEqual({
      type: "object",
      properties: { tenant: { type: "string" }, id: { type: "string" } },
      required: ["tenant", "id"],
    });
    expect(ban?.annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false });
    expect(ban?.meta?.[CATALOG_META.tags]).toEqual(["people", "core"]);
    expect(ban?.getRoots()).toEqual([root]);
  });

  test("contains a working call for every action", async () => {
    const server = createShop(expose).build();
    const client = await createClient(server);
    const own: Readonly<Record<string, object>> = {
      "shop/users/list": { tenant: "acme" },
      "shop/users/ban": { tenant: "acme", id: "7" },
      "shop/platform/billing/refund": { id: "9" },
      "shop/platform/reports/daily": {},
    };
    const actions = toolsBelow(catalog(server)).filter(
      ({ tool }) => tool.meta?.[CATALOG_META.call] !== undefined,
    );
    expect(actions.map(({ path }) => path)).toEqual(Object.keys(own));
    const answers = await Promise.all(
      actions.map(async ({ path, tool }) => {
        const call = tool.meta?.[CATALOG_META.call] as { readonly name: string; readonly arguments: object }; // documented shape
        const { content } = await client.callTool(call.name, { ...call.arguments, ...own[path] });
        return content;
      }),
    );
    expect(answers).toEqual(
      ["list of acme", "ban 7 of acme", "refund 9", "daily"].map((text) => [{ type: "text", text }]),
    );
  });
});

test("an action's call matches how the server exposes it", () => {
  const callOf = (expose: Exposition) =>
    toolsBelow(catalog(createShop(expose))).map(({ tool }) => tool.meta?.[CATALOG_META.call]);
  expect(callOf("grouped")).toEqual([
    undefined,
    undefined,
    { name: "users", arguments: { do: "list" } },
    { name: "users", arguments: { do: "ban" } },
    { name: "platform", arguments: { action: "billing.refund" } },
    { name: "platform", arguments: { action: "reports.daily" } },
  ]);
  expect(callOf("flat").slice(2)).toEqual([
    { name: "users_list", arguments: {} },
    { name: "users_ban", arguments: {} },
    { name: "platform_billing_refund", arguments: {} },
    { name: "platform_reports_daily", arguments: {} },
  ]);
});

test("a plain tool equals the definition that clients receive", async () => {
  const server = createShop("grouped").build();
  const client = await createClient(server);
  const told = await client.listTools();
  const [ping, plain] = catalog(server).childTools;
  expect(plain).toMatchObject(told.find(({ name }) => name === "plain") ?? {});
  expect(plain?.meta).toBeUndefined();
  expect(ping).toMatchObject(told.find(({ name }) => name === "ping") ?? {});
  expect(ping?.meta).toEqual({ [CATALOG_META.tags]: ["probe"] });
});

describe("the rest of the catalog", () => {
  const server = defineServer(INFO)
    .prompt("greet", {
      description: "Greets",
      arguments: z.object({ name: z.string().describe("Whom"), tone: z.string().optional() }),
      handler: ({ name }) => `Hello ${name}`,
    })
    .resource("news", { uri: "shop://news", mimeType: "text/plain", size: 4, handler: () => "none" })
    .resourceTemplate("article", {
      uriTemplate: "shop://articles/{id}",
      description: "One article",
      handler: ({ id }) => id,
    });

  test("has prompts with their arguments", () => {
    const [greet] = catalog(server).childPrompts;
    expect(greet).toBeInstanceOf(Prompt);
    expect(greet).toMatchObject({ name: "greet", description: "Greets" });
    expect(greet?.arguments.map(({ name, description, required }) => [name, description, required])).toEqual([
      ["name", "Whom", true],
      ["tone", undefined, false],
    ]);
  });

  test("has resources, and resource templates, which are marked", () => {
    const [news, article] = catalog(server).childResources;
    expect(news).toBeInstanceOf(Resource);
    expect(news).toMatchObject({ name: "news", uri: "shop://news", mimeType: "text/plain", size: 4 });
    expect(news?.meta?.[CATALOG_META.template]).toBeUndefined();
    expect(article).toMatchObject({
      name: "article",
      uri: "shop://articles/{id}",
      description: "One article",
      meta: { [CATALOG_META.template]: true },
    });
  });

  test("is empty for an empty server", () => {
    const root = catalog(defineServer(INFO));
    expect([root.childGroups, root.childTools, root.childPrompts, root.childResources]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });
});

test("a catalog is a snapshot: an update appears in the next one", () => {
  const server = createShop("grouped").build();
  const before = catalog(server);
  server.update((editor) => editor.removeTool("users").tools(createTool("late").action(DO_IT)));
  expect(before.childGroups.map(({ name }) => name)).toEqual(["users", "platform"]);
  expect(catalog(server).childGroups.map(({ name }) => name)).toEqual(["platform", "late"]);
  expect(catalog(server.view({ tags: ["probe"] })).childTools.map(({ name }) => name)).toEqual(["ping"]);
});

const DO_IT = { name: "do_it", handler: () => "done" };

test("changing a catalog does not change the server or the next catalog", async () => {
  const server = createShop("grouped").build();
  const changed = catalog(server);
  const [users] = changed.childGroups;
  const [list] = users?.childTools ?? [];
  if (list !== undefined) list.description = "changed";
  if (users !== undefined) changed.removeChildGroup(users);
  expect(outline(catalog(server))).toEqual(outline(catalog(createShop("grouped"))));
  expect(JSON.stringify(server.describe())).not.toContain("changed");
});

test("builders with the same name share a group if they are exposed flat", () => {
  const more = createTool("users").action({ name: "export", handler: () => "" });
  const root = catalog(
    defineServer(INFO).tools(createUsers(), { expose: "flat" }).tools(more, { expose: "flat" }),
  );
  expect(outline(root)).toEqual([{ users: ["list", "ban", "export"] }]);
});
