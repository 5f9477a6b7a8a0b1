import { describe, expect, test } from "vitest";
import { type ConformanceOptions, runConformance } from "../../scripts/conformance.js";
import { judge } from "../../tools/conformance/judge.js";
import type { Check, SuiteRun } from "../../tools/conformance/run-suite.js";

/** Timeout for the first run, which may have to install the suite. */
const TIMEOUT_MS = 300_000;

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
