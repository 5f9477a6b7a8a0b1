/**
 * @fileoverview Reporter that ends a test run with the slowest files, the skipped tests, and a line of totals.
 * @module tests/support/summary-reporter
 */
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** Number of slowest files to list. */
const SLOWEST = 5;

/** Number of skipped tests to list. */
const MAX_LISTED = 100;

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const slowest = modules
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that fails to load and a failed hook do not count as tests, but must fail the run.
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const broken = suites.filter((suite) => suite.errors().length > 0).length;
    // Unhandled errors fail the run too.
    const failed = count("failed") + broken + unhandledErrors.length;
    const skipped = tests.filter((test) => test.result().state === "skipped");
    const lines = [
      "",
      "Slowest test files:",
      ...slowest.map(({ name, ms }) => `  ${(ms / 1000).toFixed(1)} s  ${name}`),
      ...(skipped.length === 0 ? [] : ["", `Skipped tests on Node ${process.version}:`]),
      ...skipped.slice(0, MAX_LISTED).map((one) => `  ${one.module.relativeModuleId} > ${one.fullName}`),
      ...(skipped.length > MAX_LISTED ? [`  and ${skipped.length - MAX_LISTED} more`] : []),
      "",
      `${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped`,
      "",
    ];
    process.stdout.write(lines.join("\n"));
  }
}
