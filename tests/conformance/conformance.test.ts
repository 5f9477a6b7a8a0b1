import { describe, expect, test } from "vitest";
import { judge } from "../../tools/conformance/judge.js";
import { runConformance } from "../../tools/conformance/run-conformance.js";
import type { Check, SuiteRun } from "../../tools/conformance/run-suite.js";

// The first run may have to install the suite. All scenarios run in the system tier.
test(
  "one scenario of the official conformance suite passes in each era",
  { timeout: 300_000 },
  async (ctx) => {
    const checks = { "server-stateless": 30, "server-session-lifecycle": 3 };
    const outcome = await runConformance({
      selections: [
        ["--scenario", "server-stateless", "--spec-version", "2026-07-28"],
        ["--scenario", "server-session-lifecycle", "--spec-version", "2025-11-25"],
      ],
      expectations: { failures: [], checks },
    });
    if (outcome.kind === "left-out") {
      process.stderr.write(`Skipped the conformance suite: ${outcome.reason}\n`);
      return ctx.skip(outcome.reason);
    }
    expect(outcome.verdict.problems).toEqual([]);
    return expect(outcome.verdict.passed).toBe(33);
  },
);

describe("judging the suite's results", () => {
  const NONE = { failures: [], checks: {} };
  const TASKS_FAIL = { failures: ["tasks"], checks: {} };
  const check = (status: Check["status"], id: string): Check => ({ id, status, errorMessage: "why" });
  const run = (name: string, ...checks: readonly Check[]): SuiteRun => ({
    selection: "--suite all",
    scenarios: [{ name, checks }],
  });

  test("counts passed checks, and ignores skipped and informational ones", () => {
    const runs = [run("ping", check("SUCCESS", "a"), check("SKIPPED", "b"), check("INFO", "c"))];
    expect(judge(runs, NONE)).toMatchObject({ passed: 1, problems: [] });
  });

  test.each([
    { status: "FAILURE", problem: "ping (--suite all) failed a: why" },
    { status: "WARNING", problem: "ping (--suite all) warned a: why" },
  ] as const)("reports a $status as a problem", ({ status, problem }) => {
    expect(judge([run("ping", check(status, "a"))], NONE).problems).toEqual([problem]);
  });

  test("accepts an expected failure", () => {
    const { problems, scenarios } = judge([run("tasks", check("FAILURE", "a"))], TASKS_FAIL);
    expect(problems).toEqual([]);
    expect(scenarios[0]).toMatchObject({ expected: true, failures: ["a: why"] });
  });

  test.each([
    {
      what: "passes",
      runs: [run("tasks", check("SUCCESS", "a"))],
      problem: "tasks (--suite all) is expected to fail but passed.",
    },
    {
      what: "did not run",
      runs: [run("ping", check("SUCCESS", "a"))],
      problem: "tasks is expected to fail but did not run.",
    },
  ])("reports an expected failure that $what", ({ runs, problem }) => {
    expect(judge(runs, TASKS_FAIL).problems).toEqual([problem]);
  });

  test.each([
    { what: "skipped checks", runs: [run("ping", check("SUCCESS", "a"), check("SKIPPED", "b"))], passed: 1 },
    { what: "did not run", runs: [run("other", check("SUCCESS", "a"))], passed: 0 },
  ])("reports a scenario that $what although it must run in full", ({ runs, passed }) => {
    const { problems } = judge(runs, { failures: [], checks: { ping: 2 } });
    expect(problems).toEqual([`ping passed ${passed} checks instead of 2.`]);
  });

  test("reports an incomplete run regardless of its results", () => {
    const broken = { ...run("ping", check("SUCCESS", "a")), problem: "1 of 2 scenarios have results" };
    expect(judge([broken], NONE).problems).toEqual(["--suite all: 1 of 2 scenarios have results"]);
  });
});
