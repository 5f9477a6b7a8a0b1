import { expect, test } from "vitest";
import { runClientConformance } from "../../tools/conformance/run-conformance.js";

// The first run may have to install the suite. All scenarios run in the system tier.
test(
  "the client passes one scenario of the official suite in each era",
  { timeout: 300_000 },
  async (ctx) => {
    const outcome = await runClientConformance({
      selections: [
        ["--scenario", "tools_call", "--spec-version", "2026-07-28"],
        ["--scenario", "tools_call", "--spec-version", "2025-11-25"],
      ],
      expectations: { failures: [], checks: {} },
    });
    if (outcome.kind === "left-out") {
      process.stderr.write(`Skipped the client scenarios of the conformance suite: ${outcome.reason}\n`);
      return ctx.skip(outcome.reason);
    }
    expect(outcome.verdict.problems).toEqual([]);
    return expect(outcome.verdict.scenarios).toHaveLength(2);
  },
);
