import { describe, expect, test } from "vitest";
import { type ConformanceOptions, runConformance } from "../../tools/conformance/run-conformance.js";

/** Timeout for the first run, which may have to install the suite. */
const TIMEOUT_MS = 1_800_000;

describe("the official conformance suite", () => {
  const check = async (options: ConformanceOptions, skip: (reason: string) => void) => {
    const outcome = await runConformance(options);
    if (outcome.kind === "left-out") {
      process.stderr.write(`Skipped the conformance suite: ${outcome.reason}\n`);
      return skip(outcome.reason);
    }
    expect(outcome.verdict.problems).toEqual([]);
    expect(outcome.verdict.passed).toBeGreaterThan(100);
  };

  test("the everything server passes with no failures or warnings", { timeout: TIMEOUT_MS }, (ctx) =>
    check({}, (reason) => ctx.skip(reason)),
  );

  test("two nodes on Redis pass without sticky sessions", { timeout: TIMEOUT_MS }, (ctx) =>
    check({ redis: true, selections: [["--suite", "all"]] }, (reason) => ctx.skip(reason)),
  );
});
