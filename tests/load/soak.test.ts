import { describe, expect, test } from "vitest";
import { fitSlope } from "../../tools/soak/judge.js";

describe("the slope of the heap", () => {
  test("is the slope of the least-squares line, with its confidence margin", () => {
    const { perMinute, margin } = fitSlope([
      [0, 100],
      [1, 140],
      [2, 140],
      [3, 180],
    ]);
    expect(perMinute).toBeCloseTo(24, 10);
    // Student's t distribution with two degrees of freedom: 4.303 standard errors of 5.657.
    expect(margin).toBeGreaterThan(22);
    expect(margin).toBeLessThan(26);
  });

  test("has no margin for points on a line, and an infinite one for two points", () => {
    const line = Array.from({ length: 12 }, (_, index) => [index, 1_000 + 3 * index] as const);
    expect(fitSlope(line).perMinute).toBeCloseTo(3, 10);
    expect(fitSlope(line).margin).toBeCloseTo(0, 6);
    expect(fitSlope(line.slice(0, 2)).margin).toBe(Infinity);
  });
});
