import { describe, expect, test } from "vitest";
import { type ConformanceOptions, runConformance } from "../../scripts/conformance.js";
import { judge } from "../../tools/conformance/judge.js";
import type { Check, SuiteRun } from "../../tools/conformance/run-suite.js";

/** Timeout for the first run, which may have to install the suite. */
const TIMEOUT_MS = 300_000;

/** Scenarios that could pass by skipping checks, with the number of checks that each must run. */
const CHECKED_IN_FULL = {
  "server-initialize": 3,
  "server-session-lifecycle": 3,
  "server-sse-polling": 3,
  "server-stateless": 30,
  "tasks-capability-negotiation": 5,
  "tasks-dispatch-and-envelope": 9,
  "tasks-lifecycle": 9,
  "tasks-mrtr-composition": 2,
  "tasks-mrtr-input": 4,
  "tasks-request-headers": 5,
  "tasks-request-state-removal": 3,
  "tasks-required-task-error": 3,
  "tasks-wire-fields": 4,
};

describe("the official conformance suite", () => {
  const check = async (options: ConformanceOptions, skip: (reason: string) => void) => {
    const outcome = await runConformance(options);
    if (outcome.kind === "left-out") {
      process.stderr.write(`Skipped the conformance suite: ${outcome.reason}\n`);
      return skip(outcome.reason);
    }
    const { problems, scenarios } = outcome.verdict;
    expect(problems).toEqual([]);
    // The suite skips checks for missing features, so these scenarios must have run all their checks.
    const passed = new Map(scenarios.map((scenario) => [scenario.name, scenario.passed]));
    for (const [name, checks] of Object.entries(CHECKED_IN_FULL)) {
      expect(passed.get(name), name).toBe(checks);
    }
  };

  test("the everything server passes with no failures or warnings", { timeout: TIMEOUT_MS }, (ctx) =>
    check({}, (reason) => ctx.skip(reason)),
  );

  test("two nodes on Redis pass without sticky sessions", { timeout: TIMEOUT_MS }, (ctx) =>
    check({ redis: true, selections: [["--suite", "all"]] }, (reason) => ctx.skip(reason)),
  );
});

describe("judging the suite's results", () => {
  const check = (status: Check["status"], id: string): Check => ({ id, status, errorMessage: "why" });
  const run = (name: string, ...checks: readonly Check[]): SuiteRun => ({
    selection: "--suite all",
    scenarios: [{ name, checks }],
  });

  test("counts passed checks, and ignores skipped and informational ones", () => {
    const runs = [run("ping", check("SUCCESS", "a"), check("SKIPPED", "b"), check("INFO", "c"))];
    expect(judge(runs, [])).toMatchObject({ passed: 1, problems: [] });
  });

  test.each([
    { status: "FAILURE", problem: "ping (--suite all) failed a: why" },
    { status: "WARNING", problem: "ping (--suite all) warned a: why" },
  ] as const)("reports a $status as a problem", ({ status, problem }) => {
    expect(judge([run("ping", check(status, "a"))], []).problems).toEqual([problem]);
  });

  test("accepts an expected failure", () => {
    const { problems, scenarios } = judge([run("tasks", check("FAILURE", "a"))], ["tasks"]);
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
    expect(judge(runs, ["tasks"]).problems).toEqual([problem]);
  });

  test("reports an incomplete run regardless of its results", () => {
    const broken = { ...run("ping", check("SUCCESS", "a")), problem: "1 of 2 scenarios have results" };
    expect(judge([broken], []).problems).toEqual(["--suite all: 1 of 2 scenarios have results"]);
  });
});
