import { describe, expect, test } from "vitest";
import { type ActionGroupBuilder, createTool } from "../../src/grouped/index.js";

const handler = () => "done";
const config = { name: "list", handler };
const fill = (g: ActionGroupBuilder) => g.action(config);

const MIXED =
  'Cannot use .action() and .group() on the same builder "platform".\n' +
  "Use .action() for flat tools OR .group() for hierarchical tools.";

describe("the two modes", () => {
  test("F64: actions without groups have simple keys", () => {
    const builder = createTool("t");
    for (const name of ["list", "create", "delete"]) builder.action({ name, handler });
    expect(builder.getActionNames()).toEqual(["list", "create", "delete"]);
  });

  test("F65: groups have compound keys", () => {
    const builder = createTool("t")
      .group("users", fill)
      .group("billing", (g) => g.action({ name: "refund", handler }));
    expect(builder.getActionNames()).toEqual(["users.list", "billing.refund"]);
  });

  test("F65: a group may be opened again, and may have the same name as one of its actions", () => {
    const builder = createTool("t")
      .group("users", fill)
      .group("users", (g) => g.action({ name: "users", handler }));
    expect(builder.getActionNames()).toEqual(["users.list", "users.users"]);
  });

  test("F66: an action after a group throws immediately, with two lines", () => {
    const builder = createTool("platform").group("users", fill);
    expect(() => builder.action(config)).toThrow(new Error(MIXED));
    expect(builder.getActionNames()).toEqual(["users.list"]);
  });

  test("F66: a group after an action throws immediately, before its function runs", () => {
    const builder = createTool("platform").action(config);
    let ran = false;
    expect(() => builder.group("users", () => void (ran = true))).toThrow(new Error(MIXED));
    expect(ran).toBe(false);
  });

  test("F66: adding an action to the builder inside a group also throws, in either order", () => {
    const late = createTool("platform");
    expect(() => late.group("users", (g) => (fill(g), late.action(config)))).toThrow(new Error(MIXED));
    const early = createTool("platform");
    expect(() => early.group("users", (g) => (early.action(config), fill(g)))).toThrow(new Error(MIXED));
    expect(early.getActionNames()).toEqual(["list"]);
  });

  test("F66: a failed call does not set the mode", () => {
    const builder = createTool("platform");
    expect(() => builder.group("a.b", fill)).toThrow("dots");
    expect(() => builder.group("users", () => undefined)).toThrow("no actions");
    expect(builder.action(config).getActionNames()).toEqual(["list"]);
    const other = createTool("platform");
    expect(() => other.action({ name: "a.b", handler })).toThrow("dots");
    expect(other.group("users", fill).getActionNames()).toEqual(["users.list"]);
  });
});

describe("F67: dots", () => {
  const message = (noun: string, name: string) => `${noun} name "${name}" must not contain dots.`;
  const reason = " The framework uses dots internally for group.action compound keys.";

  test.each(["a.b", ".", ".a", "a."])("are rejected in %j", (name) => {
    expect(() => createTool("t").action({ name, handler })).toThrow(
      new Error(message("Action", name) + reason),
    );
    expect(() => createTool("t").group("g", (g) => g.action({ name, handler }))).toThrow(
      new Error(message("Action", name) + reason),
    );
    expect(() => createTool("t").group(name, fill)).toThrow(new Error(message("Group", name)));
  });
});

describe("names that objects inherit", () => {
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"])(
    "%s is a valid name",
    async (name) => {
      const flat = createTool("t").action({ name, handler: () => "flat" });
      expect(flat.buildToolDefinition().inputSchema["properties"]).toEqual({
        action: { type: "string", enum: [name], description: "Which operation to perform" },
      });
      expect((await flat.execute(undefined, { action: name })).isError).toBeUndefined();
      const grouped = createTool("t").group(name, (g) => g.action({ name, handler: () => "grouped" }));
      expect(grouped.buildToolDefinition().description).toBe(`t. Modules: ${name} (${name})`);
      expect(grouped.getActionNames()).toEqual([`${name}.${name}`]);
      expect((await grouped.execute(undefined, { action: `${name}.${name}` })).isError).toBeUndefined();
      expect((await grouped.execute(undefined, { action: name })).isError).toBe(true);
    },
  );
});
