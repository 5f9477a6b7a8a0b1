import { expect, test } from "vitest";
import { runClientConformance } from "../../tools/conformance/run-conformance.js";

/** Timeout for the first run, which may have to install the suite. */
const TIMEOUT_MS = 1_800_000;

test(
  "the client passes every scored scenario of the official suite",
  { timeout: TIMEOUT_MS },
  async (ctx) => {
    const outcome = await runClientConformance();
    if (outcome.kind === "left-out") {
      process.stderr.write(`Skipped the client scenarios of the conformance suite: ${outcome.reason}\n`);
      return ctx.skip(outcome.reason);
    }
    expect(outcome.verdict.problems).toEqual([]);
    // 25 scenarios of the older revision and 39 of the newer one.
    expect(outcome.verdict.scenarios).toHaveLength(64);
    return expect(outcome.verdict.passed).toBeGreaterThan(700);
  },
);
