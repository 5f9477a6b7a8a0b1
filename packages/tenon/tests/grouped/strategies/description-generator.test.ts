import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type DescriptionGenerator,
  generateDescription,
  getGroupSummaries,
} from "../../../src/grouped/strategies/description-generator.js";
import { deepFreeze, fields, mockAction, toActions, toolPlan } from "../../support/grouped/actions.js";

const generate: DescriptionGenerator = generateDescription;
const plain = (...keys: string[]) => keys.map((key) => mockAction(key));
const platform = plain("users.list", "users.create", "billing.invoices", "users.ban", "billing.refund");

describe("the summary line", () => {
  test("F31: a flat tool", () => {
    const actions = plain("list", "create", "delete");
    expect(generate({ actions, name: "users", description: "Manage users", hasGroup: false })).toBe(
      "Manage users. Actions: list, create, delete",
    );
  });

  test("F30: a grouped tool", () => {
    expect(
      generate({ actions: platform, name: "platform", description: "The platform", hasGroup: true }),
    ).toBe("The platform. Modules: users (list,create,ban) | billing (invoices,refund)");
  });

  test.each([
    [undefined, "users. Actions: list"],
    ["", "users. Actions: list"],
    ["All users.", "All users. Actions: list"],
    ["Users, now!", "Users, now! Actions: list"],
  ])("F28: with the description %j", (description, expected) => {
    expect(generate({ actions: plain("list"), name: "users", description, hasGroup: false })).toBe(expected);
  });

  test("F33: groups are in the order of first use, with their actions by name", () => {
    expect(getGroupSummaries(platform)).toEqual(["users (list,create,ban)", "billing (invoices,refund)"]);
    expect(getGroupSummaries([])).toEqual([]);
    expect(getGroupSummaries(plain("ping"))).toEqual(["ping (ping)"]);
  });
});

describe("the workflow", () => {
  const line = (facts: Parameters<typeof mockAction>[1]) =>
    generate({ actions: [mockAction("x", facts)], name: "t", hasGroup: false })
      .split("\n")
      .slice(1);

  test.each([
    ["a description", { description: "Does it" }, "- 'x': Does it"],
    ["required fields", { schema: fields("a", "b", "c?") }, "- 'x': Requires: a, b"],
    ["both", { description: "Does it", schema: fields("a", "b") }, "- 'x': Does it. Requires: a, b"],
    [
      "a description with a period",
      { description: "Does it.", schema: fields("a") },
      "- 'x': Does it. Requires: a",
    ],
    ["F34: a warning alone", { destructive: true }, "- 'x': ⚠️ DESTRUCTIVE"],
    ["F34: a warning", { description: "Drops it", destructive: true }, "- 'x': Drops it ⚠️ DESTRUCTIVE"],
    [
      "F34: all",
      { description: "Drops it", schema: fields("id"), destructive: true },
      "- 'x': Drops it. Requires: id ⚠️ DESTRUCTIVE",
    ],
  ])("F32: %s", (_title, facts, expected) => {
    expect(line(facts)).toEqual(["", "Workflow:", expected]);
  });

  test.each([
    ["nothing", {}],
    ["an empty description", { description: "" }],
    ["optional fields only", { schema: fields("a?") }],
  ])("F32: no line for an action with %s", (_title, facts) => {
    expect(line(facts)).toEqual([]);
  });

  test("F28, F29, F32: a complete description", () => {
    const actions = [
      mockAction("users.list"),
      mockAction("users.create", {
        description: "Create a user",
        schema: z.object({ email: z.string(), role: z.string() }),
      }),
      mockAction("users.ban", { schema: z.object({ id: z.string() }), destructive: true }),
      mockAction("billing.invoices", { description: "All invoices" }),
    ];
    expect(generate({ actions, name: "platform", description: "The platform", hasGroup: true })).toBe(
      [
        "The platform. Modules: users (list,create,ban) | billing (invoices)",
        "",
        "Workflow:",
        "- 'users.create': Create a user. Requires: email, role",
        "- 'users.ban': Requires: id ⚠️ DESTRUCTIVE",
        "- 'billing.invoices': All invoices",
      ].join("\n"),
    );
  });

  test("F48: required common fields are listed if there is a common schema", () => {
    const actions = [mockAction("a", { schema: fields("id") })];
    const commonSchema = fields("tenant", "trace?");
    expect(generate({ actions, name: "t", hasGroup: false, commonSchema })).toBe(
      "t. Actions: a\n\nWorkflow:\n- 'a': Requires: tenant, id",
    );
  });

  test("F18, F32, F34: any tool has one line for each action with details, and no other lines", () => {
    fc.assert(
      fc.property(toolPlan, (tool) => {
        const made = toActions(tool);
        const input = deepFreeze({
          actions: made.map(({ action }) => action),
          name: "t",
          hasGroup: tool.hasGroup,
        });
        const text = generate(input);
        const [summary, blank, title, ...lines] = text.split("\n");
        const speaking = made.filter(
          ({ plan }) => plan.described || plan.destructive || Object.values(plan.fields ?? {}).includes(true),
        );
        expect(summary?.startsWith(tool.hasGroup ? "t. Modules: " : "t. Actions: ")).toBe(true);
        expect([blank, title]).toEqual(speaking.length > 0 ? ["", "Workflow:"] : [undefined, undefined]);
        expect(lines.map((each) => each.slice(0, each.indexOf(": ")))).toEqual(
          speaking.map(({ action }) => `- '${action.key}'`),
        );
        expect(lines.map((each) => each.endsWith(" ⚠️ DESTRUCTIVE"))).toEqual(
          speaking.map(({ plan }) => plan.destructive),
        );
        expect(generate(input)).toBe(text);
      }),
    );
  });
});
