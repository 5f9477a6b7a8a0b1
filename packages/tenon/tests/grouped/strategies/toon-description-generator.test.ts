import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  generateToonDescription,
  type ToonDescriptionGenerator,
} from "../../../src/grouped/strategies/toon-description-generator.js";
import { deepFreeze, fields, mockAction, toActions, toolPlan, toon } from "../../support/grouped/actions.js";

const generate: ToonDescriptionGenerator = generateToonDescription;

describe("the description with a TOON table", () => {
  test("F35, F36: every row has every column in a flat tool", () => {
    const actions = [
      mockAction("list"),
      mockAction("delete", {
        description: "Delete | purge",
        schema: fields("id", "why", "when?"),
        destructive: true,
      }),
    ];
    expect(generate({ actions, name: "users", description: "Manage users", hasGroup: false }, toon)).toBe(
      [
        "Manage users",
        "",
        "[2|]{action|desc|required|destructive}:",
        '  list|""|""|false',
        '  delete|"Delete | purge"|id,why|true',
      ].join("\n"),
    );
  });

  test("F35, F37: a grouped tool has a table for each namespace", () => {
    const actions = [
      mockAction("users.list", { description: "All users" }),
      mockAction("billing.refund", { description: "Pay back", schema: fields("id"), destructive: true }),
      mockAction("users.ban", { schema: fields("id") }),
    ];
    expect(generate({ actions, name: "platform", hasGroup: true }, toon)).toBe(
      [
        "platform",
        "",
        "users[2|]{action|desc|required|destructive}:",
        '  list|All users|""|false',
        '  ban|""|id|false',
        "billing[1|]{action|desc|required|destructive}:",
        "  refund|Pay back|id|true",
      ].join("\n"),
    );
  });

  test("F48: required common fields are in the column if there is a common schema", () => {
    const input = { actions: [mockAction("a", { schema: fields("id") })], name: "t", hasGroup: false };
    expect(generate({ ...input, commonSchema: fields("tenant") }, toon)).toContain('  a|""|tenant,id|false');
  });

  test("F18, F35–F37: any tool passes its rows to the encoder and returns the text", () => {
    fc.assert(
      fc.property(toolPlan, (tool) => {
        const made = toActions(tool);
        const input = deepFreeze({
          actions: made.map(({ action }) => action),
          name: "t",
          hasGroup: tool.hasGroup,
        });
        const values: unknown[] = [];
        const run = () =>
          generate(input, (value) => {
            values.push(value);
            return "TABLE";
          });
        expect([run(), run()]).toEqual(["t\n\nTABLE", "t\n\nTABLE"]);
        const rows = made.map(({ action, plan }) => ({
          action: tool.hasGroup ? action.actionName : action.key,
          desc: plan.described,
          required: Object.entries(plan.fields ?? {})
            .flatMap(([name, must]) => (must ? [name] : []))
            .join(","),
          destructive: plan.destructive,
        }));
        const groups = Object.fromEntries(
          [...new Set(made.map(({ plan }) => plan.group))].map((group) => [
            group,
            rows.filter((_row, index) => made[index]?.plan.group === group),
          ]),
        );
        const expected = tool.hasGroup ? groups : rows;
        expect(values).toEqual([expected, expected]);
        if (made.length > 0) {
          const tables = tool.hasGroup ? Object.keys(groups).length : 1;
          expect(toon(values[0]).split("{action|desc|required|destructive}:").length - 1).toBe(tables);
        }
      }),
    );
  });
});
