/**
 * @fileoverview What the suite's findings come to: which checks count as failed, and which failures are expected.
 * @module tools/conformance/judge
 */
import type { Check, SuiteRun } from "./run-suite.js";

/**
 * Scenarios that fail until what they ask for is there: the Tasks extension. One that no longer fails must be taken
 * out. (The Skills scenarios, and `tasks-status-notifications`, skip what a server does not declare.)
 */
export const EXPECTED_FAILURES: readonly string[] = [
  "tasks-capability-negotiation",
  "tasks-dispatch-and-envelope",
  "tasks-lifecycle",
  "tasks-mrtr-composition",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-request-state-removal",
  "tasks-required-task-error",
  "tasks-wire-fields",
];

/** One scenario's figures. */
export interface ScenarioReport {
  readonly name: string;
  readonly selection: string;
  readonly passed: number;
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
  readonly expected: boolean;
}

/** All of it. */
export interface Verdict {
  readonly scenarios: readonly ScenarioReport[];
  /** Checks that passed, of every scenario. */
  readonly passed: number;
  /** What must not be: unexpected failures and warnings, stale expectations, runs that broke off. */
  readonly problems: readonly string[];
}

/** Judges runs. A warning counts as a failure: it is a SHOULD that is not kept. */
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
        .map(({ name, selection }) => `${name} (${selection}) is expected to fail, and does not`),
      ...expectedFailures
        .filter((name) => !scenarios.some((scenario) => scenario.name === name))
        .map((name) => `${name} is expected to fail, and was not run`),
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
