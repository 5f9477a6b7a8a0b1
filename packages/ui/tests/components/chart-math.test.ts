import { describe, expect, test } from "vitest";
import { barPart, shareOf, sparklinePoints } from "../../src/components/data/chart-math.js";
import { clampSize, resizeByKey } from "../../src/components/layout/split-size.js";

describe("sparklinePoints", () => {
  const area = { width: 100, height: 20 };

  test.each([
    ["values from zero", [0, 5, 10], "0,20 50,10 100,0"],
    ["negative values", [-10, 10], "0,20 100,0"],
    ["equal values", [0, 0], "0,20 100,20"],
    ["one value", [5], "0,0"],
    ["no values", [], ""],
    ["values that are not finite", [0, Number.NaN, 10], "0,20 100,0"],
  ])("draws %s", (_title, values, expected) => {
    expect(sparklinePoints(values, area)).toBe(expected);
  });

  test("values above the maximum stay inside", () => {
    expect(sparklinePoints([0, 50], { ...area, max: 10 })).toBe("0,20 100,0");
  });
});

describe("barPart", () => {
  const period = { start: 100, end: 200 };

  test.each([
    ["a part", { start: 110, end: 150 }, { left: 10, width: 40 }],
    ["a very short part", { start: 150, end: 150.001 }, { left: 50, width: 0.5 }],
    ["a short part at the end", { start: 200, end: 200 }, { left: 99.5, width: 0.5 }],
    ["a part that is outside", { start: 0, end: 500 }, { left: 0, width: 100 }],
  ])("places %s", (_title, part, expected) => {
    expect(barPart(part, period)).toEqual(expected);
  });

  test("fills the bar if the period is empty", () => {
    expect(barPart({ start: 1, end: 1 }, { start: 1, end: 1 })).toEqual({ left: 0, width: 100 });
  });
});

test("shareOf is limited, and absent without a limit", () => {
  expect([shareOf(5, 10), shareOf(20, 10), shareOf(-1, 10), shareOf(5, undefined), shareOf(5, 0)]).toEqual([
    0.5,
    1,
    0,
    undefined,
    undefined,
  ]);
});

describe("the size of a split pane", () => {
  const limits = { min: 180, max: 600 };

  test.each([
    ["ArrowRight", 316],
    ["ArrowLeft", 284],
    ["PageDown", 396],
    ["Home", 180],
    ["End", 600],
    ["Enter", undefined],
  ])("%s changes 300 to %s", (key, expected) => {
    expect(resizeByKey(key, 300, limits)).toBe(expected);
  });

  test("stays within its limits, and the minimum wins", () => {
    expect([clampSize(10, limits), clampSize(9_999, limits), clampSize(50, { min: 180, max: 100 })]).toEqual([
      180, 600, 180,
    ]);
  });
});
