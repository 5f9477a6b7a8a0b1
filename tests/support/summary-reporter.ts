/**
 * @fileoverview Reporter that ends a test run with the slowest files, the skipped tests, and a line of totals.
 * @module tests/support/summary-reporter
 */
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from "vitest/node";
import { allowedSkip } from "./allowed-skips.js";

/** Number of slowest files to list. */
const SLOWEST = 5;

/** Number of skipped tests to list. */
const MAX_LISTED = 100;

export default class SummaryReporter implements Reporter {
  #selectsTests = false;

  onInit(vitest: Vitest): void {
    this.#selectsTests = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const slowest = modules
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    // A file that fails to load and a failed hook do not count as tests, but must fail the run.
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const broken = suites.filter((suite) => suite.errors().length > 0).length;
    const skipped = inState("skipped");
    // In CI, a test that cannot run fails. Tests that `-t` does not select count as skipped too.
    const isStrict = isCi() && !this.#selectsTests;
    const left = skipped.filter((test) => isStrict && allowedSkip(toSkipped(test)) === undefined);
    if (left.length > 0) process.exitCode = 1;
    // Unhandled errors fail the run too.
    const failed = inState("failed").length + broken + unhandledErrors.length + left.length;
    const lines = [
      "",
      "Slowest test files:",
      ...slowest.map(({ name, ms }) => `  ${(ms / 1000).toFixed(1)} s  ${name}`),
      ...listTests(`Skipped tests on Node ${process.version}`, skipped),
      ...listTests("Failed, because no test may be skipped in CI", left),
      "",
      `${inState("passed").length} passed, ${failed} failed, ${skipped.length - left.length} skipped`,
      "",
    ];
    process.stdout.write(lines.join("\n"));
  }
}

function isCi(): boolean {
  const { CI = "" } = process.env;
  return CI !== "" && CI !== "false" && CI !== "0";
}

function toSkipped({ module, fullName }: TestCase) {
  return { file: module.relativeModuleId, title: fullName };
}

function listTests(title: string, tests: readonly TestCase[]): readonly string[] {
  if (tests.length === 0) return [];
  const shown = tests.slice(0, MAX_LISTED).map((test) => {
    const result = test.result();
    const reason = (result.state === "skipped" ? result.note : undefined) ?? allowedSkip(toSkipped(test));
    return `  ${test.module.relativeModuleId} > ${test.fullName}${reason === undefined ? "" : `: ${reason}`}`;
  });
  return [
    "",
    `${title}:`,
    ...shown,
    ...(tests.length > MAX_LISTED ? [`  and ${tests.length - MAX_LISTED} more`] : []),
  ];
}
