import { expect, test } from "vitest";
import { checkBudget } from "../../tools/type-cost/budget.js";
import { measureTypes } from "../../tools/type-cost/measure.js";
import { LAYOUTS } from "../../tools/type-cost/project.js";

test.each(LAYOUTS)(
  "type instantiations of a server with 10 and 100 tools (%s) grow at most linearly and stay within the budget",
  async (layout) => {
    const small = await measureTypes("7", { layout, tools: 10 });
    const large = await measureTypes("7", { layout, tools: 100 });
    expect(checkBudget({ small, large })).toEqual([]);
  },
);

test("the check detects a chain in which each call instantiates the types of all earlier tools", () => {
  // Figures of a builder whose type was an intersection with one mapped type for each tool.
  const small = { layout: "chain", tools: 10, instantiations: 12_953 } as const;
  const large = { tools: 100, instantiations: 156_593 };
  expect(checkBudget({ small, large })).toEqual([
    "chain: each tool adds 1596 instantiations (limit: 1400).",
    "chain: a tool takes 1.21 times as many instantiations in a project with 100 tools as in one with 10 (limit: 1).",
  ]);
});

test("the check accepts exactly the budget, and rejects one instantiation per tool more", () => {
  const small = { layout: "files", tools: 10, instantiations: 15_000 } as const;
  const toLarge = (perTool: number) => ({ tools: 100, instantiations: 15_000 + 90 * perTool });
  expect(checkBudget({ small, large: toLarge(1_400) })).toEqual([]);
  expect(checkBudget({ small, large: toLarge(1_401) })).toEqual([
    "files: each tool adds 1401 instantiations (limit: 1400).",
  ]);
});
