import { describe, expect, test } from "vitest";
import { runConformance } from "../../scripts/conformance.js";
import { judge } from "../../tools/conformance/judge.js";
import type { Check, SuiteRun } from "../../tools/conformance/run-suite.js";

/** The first run of all may have to install the suite. */
const TIMEOUT_MS = 300_000;

/** Scenarios that could pass by leaving something out, and how many checks they have. */
const CHECKED_IN_FULL = {
  "server-initialize": 3,
  "server-session-lifecycle": 3,
  "server-sse-polling": 3,
  "server-stateless": 30,
};

describe("the official conformance suite", () => {
  test(
    "the everything server fails no check and gets no warning, but for what is expected",
    { timeout: TIMEOUT_MS },
    async (ctx) => {
      const outcome = await runConformance();
      if (outcome.kind === "left-out") {
        process.stderr.write(`The conformance suite was left out: ${outcome.reason}\n`);
        return ctx.skip(outcome.reason);
      }
      const { problems, scenarios } = outcome.verdict;
      expect(problems).toEqual([]);
      // What a server does not do is skipped, not failed: these must have been checked in full.
      const passed = new Map(scenarios.map((scenario) => [scenario.name, scenario.passed]));
      for (const [name, checks] of Object.entries(CHECKED_IN_FULL)) {
        expect(passed.get(name), name).toBe(checks);
      }
    },
  );
});

describe("the suite's findings are judged", () => {
  const check = (status: Check["status"], id: string): Check => ({ id, status, errorMessage: "why" });
  const run = (name: string, ...checks: readonly Check[]): SuiteRun => ({
    selection: "--suite all",
    scenarios: [{ name, checks }],
  });

  test("checks that passed are counted; skipped ones and remarks are neither here nor there", () => {
    const runs = [run("ping", check("SUCCESS", "a"), check("SKIPPED", "b"), check("INFO", "c"))];
    expect(judge(runs, [])).toMatchObject({ passed: 1, problems: [] });
  });

  test.each([
    { status: "FAILURE", problem: "ping (--suite all) failed a: why" },
    { status: "WARNING", problem: "ping (--suite all) warned a: why" },
  ] as const)("a $status is a problem", ({ status, problem }) => {
    expect(judge([run("ping", check(status, "a"))], []).problems).toEqual([problem]);
  });

  test("an expected failure is none", () => {
    const { problems, scenarios } = judge([run("tasks", check("FAILURE", "a"))], ["tasks"]);
    expect(problems).toEqual([]);
    expect(scenarios[0]).toMatchObject({ expected: true, failures: ["a: why"] });
  });

  test.each([
    {
      what: "passes",
      runs: [run("tasks", check("SUCCESS", "a"))],
      problem: "tasks (--suite all) is expected to fail, and does not",
    },
    {
      what: "is not there",
      runs: [run("ping", check("SUCCESS", "a"))],
      problem: "tasks is expected to fail, and was not run",
    },
  ])("an expected failure that $what is stale, and a problem", ({ runs, problem }) => {
    expect(judge(runs, ["tasks"]).problems).toEqual([problem]);
  });

  test("a run that broke off is a problem, whatever it found", () => {
    const broken = { ...run("ping", check("SUCCESS", "a")), problem: "1 of 2 scenarios have results" };
    expect(judge([broken], []).problems).toEqual(["--suite all: 1 of 2 scenarios have results"]);
  });
});
