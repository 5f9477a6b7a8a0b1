import { describe, expect, test } from "vitest";
import { createTool, ToolRegistry } from "../../src/grouped/index.js";
import { defineServer } from "../../src/core/define-server.js";
import { createClient } from "../../src/testing/index.js";
import { ClientError } from "../../src/client/errors.js";
import { failure, text, textOf } from "../support/grouped/results.js";

const tool = (name: string, ...tags: readonly string[]) =>
  createTool(name)
    .tags(...tags)
    .action({ name: "run", handler: () => `${name} ran` });

const filled = () =>
  new ToolRegistry().registerAll(
    tool("users", "core", "people"),
    tool("billing", "core", "money"),
    tool("reports", "money"),
    tool("notes"),
  );
const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

describe("a registry", () => {
  test("F17: keeps tools by name", () => {
    const registry = filled();
    expect(registry.size).toBe(4);
    expect([registry.has("users"), registry.has("nobody"), registry.has("constructor")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(names(registry.getAllTools())).toEqual(["users", "billing", "reports", "notes"]);
    registry.clear();
    expect([registry.size, registry.has("users"), registry.getAllTools()]).toEqual([0, false, []]);
  });

  test("F17: rejects a second tool with the same name and keeps the first", async () => {
    const registry = new ToolRegistry().register(tool("x"));
    const other = createTool("x").action({ name: "run", handler: () => "other" });
    expect(() => registry.register(other)).toThrow(new Error('Tool "x" is already registered.'));
    expect(await registry.routeCall(undefined, "x", { action: "run" })).toEqual(text("x ran"));
  });

  test("F17, F60: builds each tool and rejects a tool that cannot be built", () => {
    const registry = new ToolRegistry();
    const good = tool("good");
    registry.register(good);
    expect(() => good.tags("late")).toThrow("is frozen");
    expect(() => registry.register(createTool("x"))).toThrow(
      new Error('Builder "x" has no actions registered.'),
    );
    expect(registry.has("x")).toBe(false);
  });

  test("F17: returns its builders' definitions", () => {
    const users = tool("users");
    expect(new ToolRegistry().register(users).getAllTools()[0]).toBe(users.buildToolDefinition());
  });

  test.each([
    [{}, ["users", "billing", "reports", "notes"]],
    [{ tags: [], anyTag: [], exclude: [] }, ["users", "billing", "reports", "notes"]],
    [{ tags: ["core"] }, ["users", "billing"]],
    [{ tags: ["core", "money"] }, ["billing"]],
    [{ tags: ["core", "nowhere"] }, []],
    [{ anyTag: ["people", "money"] }, ["users", "billing", "reports"]],
    [{ anyTag: ["nowhere"] }, []],
    [{ exclude: ["money"] }, ["users", "notes"]],
    [{ exclude: ["nowhere"] }, ["users", "billing", "reports", "notes"]],
    [{ tags: ["core"], exclude: ["people", "nowhere"] }, ["billing"]],
    [{ tags: ["money"], anyTag: ["core", "people"], exclude: ["people"] }, ["billing"]],
    [{ tags: ["Core"] }, []],
  ])("F17: the filter %j shows %j and rejects calls to other tools", async (filter, shown) => {
    const registry = filled();
    expect(names(registry.getTools(filter))).toEqual(shown);
    for (const name of names(registry.getAllTools())) {
      const result = await registry.routeCall(undefined, name, { action: "run" }, filter);
      if (shown.includes(name)) expect(result).toEqual(text(`${name} ran`));
      else {
        expect(textOf(result).split("\n")[0]).toBe(
          `Unknown tool: "${name}". Available tools: ${shown.join(", ")}`,
        );
      }
    }
  });
});

describe("a call through the registry", () => {
  test("F49: with an unknown name lists the available tools and the closest one", async () => {
    expect(await filled().routeCall(undefined, "user", {})).toEqual(
      failure('Unknown tool: "user". Available tools: users, billing, reports, notes\nDid you mean "users"?'),
    );
    expect(await filled().routeCall(undefined, "weather", {})).toEqual(
      failure('Unknown tool: "weather". Available tools: users, billing, reports, notes'),
    );
  });

  test.each(["constructor", "__proto__", "toString", ""])(
    "F49: does not find a tool named %j",
    async (name) => {
      expect(textOf(await filled().routeCall(undefined, name, {}))).toBe(
        `Unknown tool: ${JSON.stringify(name)}. Available tools: users, billing, reports, notes`,
      );
    },
  );

  test("F49: shows only the start of an untrusted name", async () => {
    const told = textOf(await filled().routeCall(undefined, `\u001b[2J"${"x".repeat(100_000)}`, {}));
    expect(told.split("\n")[0]).toBe(
      `Unknown tool: "\\u001b[2J\\"${"x".repeat(59)}…". Available tools: users, billing, reports, notes`,
    );
  });

  test("F49, F51: passes on arguments, context, and errors", async () => {
    const registry = new ToolRegistry<{ readonly user: string }>().register(
      createTool<{ readonly user: string }>("t").action({ name: "who", handler: ({ user }) => user }),
    );
    expect(await registry.routeCall({ user: "ann" }, "t", { action: "who" })).toEqual(text("ann"));
    expect(textOf(await registry.routeCall({ user: "ann" }, "t", {})).split("\n")[0]).toBe(
      "action is required. Available: who",
    );
  });
});

describe("a registry in a server", () => {
  test("F17: serves all its tools, grouped or flat", async () => {
    const server = defineServer({ name: "s", version: "1" }).tools(filled());
    const client = await createClient(server);
    expect(names(await client.listTools())).toEqual(["users", "billing", "reports", "notes"]);
    const flat = await createClient(
      defineServer({ name: "s", version: "1" }).tools(filled(), { expose: "flat" }),
    );
    expect(names(await flat.listTools())).toEqual(["users_run", "billing_run", "reports_run", "notes_run"]);
    expect(await flat.callTool("billing_run")).toEqual(text("billing ran"));
  });

  test("F17: a view by tags neither lists nor calls the other tools", async () => {
    const view = defineServer({ name: "s", version: "1" })
      .tools(filled())
      .build()
      .view({ exclude: ["money"] });
    const client = await createClient(view);
    expect(names(await client.listTools())).toEqual(["users", "notes"]);
    await expect(client.callTool("billing", { action: "run" })).rejects.toThrow(ClientError);
    expect(await client.callTool("users", { action: "run" })).toEqual(text("users ran"));
  });

  test("a name in two sources is a build error", () => {
    const server = defineServer({ name: "s", version: "1" }).tools(tool("x")).tools(tool("x"));
    expect(() => server.build()).toThrow(/"x"/);
  });

  test("two actions with the same flat name are a build error", () => {
    const clash = createTool("t")
      .group("a_b", (g) => g.action({ name: "c", handler: () => 1 }))
      .group("a", (g) => g.action({ name: "b_c", handler: () => 2 }));
    const server = defineServer({ name: "s", version: "1" });
    expect(() => server.tools(clash, { expose: "flat" }).build()).toThrow(/"t_a_b_c"/);
  });
});
