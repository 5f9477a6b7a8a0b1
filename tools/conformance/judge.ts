/**
 * @fileoverview Evaluates the results of the suite: which checks failed, and which failures are expected.
 * @module tools/conformance/judge
 */
import type { Check, SuiteRun } from "./run-suite.js";

/**
 * Scenarios that are expected to fail. Remove a scenario when it passes. (The suite always skips
 * `tasks-status-notifications`, and the Skills scenarios skip features that a server does not declare.)
 */
export const EXPECTED_FAILURES: readonly string[] = [];

/** Results of one scenario. */
export interface ScenarioReport {
  readonly name: string;
  readonly selection: string;
  readonly passed: number;
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
  readonly expected: boolean;
}

/** Results of all scenarios. */
export interface Verdict {
  readonly scenarios: readonly ScenarioReport[];
  /** Number of passed checks in all scenarios. */
  readonly passed: number;
  /** Unexpected failures and warnings, outdated expectations, and incomplete runs. */
  readonly problems: readonly string[];
}

/** Evaluates runs. A warning counts as a failure, because it reports a violated SHOULD. */
export function judge(runs: readonly SuiteRun[], expectedFailures = EXPECTED_FAILURES): Verdict {
  const scenarios = runs.flatMap(({ selection, scenarios }) =>
    scenarios.map(({ name, checks }) => ({
      name,
      selection,
      passed: checks.filter(({ status }) => status === "SUCCESS").length,
      failures: describe(checks, "FAILURE"),
      warnings: describe(checks, "WARNING"),
      expected: expectedFailures.includes(name),
    })),
  );
  return {
    scenarios,
    passed: scenarios.reduce((sum, { passed }) => sum + passed, 0),
    problems: [
      ...runs.flatMap(({ selection, problem }) =>
        problem === undefined ? [] : [`${selection}: ${problem}`],
      ),
      ...scenarios.filter(({ expected }) => !expected).flatMap(unexpected),
      ...scenarios
        .filter(({ expected, failures, warnings }) => expected && failures.length + warnings.length === 0)
        .map(({ name, selection }) => `${name} (${selection}) is expected to fail but passed.`),
      ...expectedFailures
        .filter((name) => !scenarios.some((scenario) => scenario.name === name))
        .map((name) => `${name} is expected to fail but did not run.`),
    ],
  };
}

function describe(checks: readonly Check[], status: Check["status"]): readonly string[] {
  return checks
    .filter((check) => check.status === status)
    .map(({ id, errorMessage }) => `${id}: ${errorMessage ?? "no reason given"}`);
}

function unexpected({ name, selection, failures, warnings }: ScenarioReport): readonly string[] {
  return [
    ...failures.map((failure) => `${name} (${selection}) failed ${failure}`),
    ...warnings.map((warning) => `${name} (${selection}) warned ${warning}`),
  ];
}
