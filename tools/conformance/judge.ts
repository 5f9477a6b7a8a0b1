/**
 * @fileoverview Evaluates the results of the suite: which checks failed, and which failures are expected.
 * @module tools/conformance/judge
 */
import type { Check, SuiteRun } from "./run-suite.js";

/**
 * Scenarios that are expected to fail. Remove a scenario when it passes. (The suite always skips
 * `tasks-status-notifications`, and the Skills scenarios skip features that a server does not declare.)
 */
const EXPECTED_FAILURES: readonly string[] = [];

/** Scenarios that could pass by skipping checks for missing features, with the number of checks that must pass. */
const CHECKED_IN_FULL: Readonly<Record<string, number>> = {
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

/** Expected results of a run. */
export interface Expectations {
  /** Names of scenarios that are expected to fail. */
  readonly failures: readonly string[];
  /** Number of checks that must pass, by scenario. */
  readonly checks: Readonly<Record<string, number>>;
}

/** Expectations for the everything server. */
export const EXPECTATIONS: Expectations = { failures: EXPECTED_FAILURES, checks: CHECKED_IN_FULL };

/**
 * Expectations for the everything client. The scenarios that fail belong to optional extensions of authorization, which
 * no revision scores and the client does not implement.
 */
export const CLIENT_EXPECTATIONS: Expectations = {
  failures: [
    "auth/enterprise-managed-authorization", // tokens from a company's identity provider
    "auth/dpop", // tokens that are bound to a key
    "auth/dpop-nonce",
    "auth/wif-jwt-bearer", // tokens from the identity of a workload
  ],
  checks: {},
};

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
export function judge(runs: readonly SuiteRun[], expectations: Expectations): Verdict {
  const scenarios = runs.flatMap(({ selection, scenarios }) =>
    scenarios.map(({ name, checks }) => ({
      name,
      selection,
      passed: checks.filter(({ status }) => status === "SUCCESS").length,
      failures: describe(checks, "FAILURE"),
      warnings: describe(checks, "WARNING"),
      expected: expectations.failures.includes(name),
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
      ...expectations.failures
        .filter((name) => !scenarios.some((scenario) => scenario.name === name))
        .map((name) => `${name} is expected to fail but did not run.`),
      ...Object.entries(expectations.checks).flatMap(([name, count]) =>
        missingChecks(scenarios, name, count),
      ),
    ],
  };
}

/** Reports a scenario that passed fewer checks than it has in every selection. */
function missingChecks(scenarios: readonly ScenarioReport[], name: string, count: number): readonly string[] {
  const passed = Math.max(0, ...scenarios.filter((one) => one.name === name).map((one) => one.passed));
  return passed === count ? [] : [`${name} passed ${passed} checks instead of ${count}.`];
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
