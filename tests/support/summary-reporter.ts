/**
 * @fileoverview Ends a test run with its slowest files and one plain line of figures.
 * @module tests/support/summary-reporter
 */
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** How many of the slowest files are named. */
const SLOWEST = 5;

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const slowest = modules
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that did not load, or a hook that failed, has no test to count, and must not pass for nothing.
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const broken = suites.filter((suite) => suite.errors().length > 0).length;
    // An error that no test caught fails the run too.
    const failed = count("failed") + broken + unhandledErrors.length;
    const lines = [
      "",
      "Slowest test files:",
      ...slowest.map(({ name, ms }) => `  ${(ms / 1000).toFixed(1)} s  ${name}`),
      "",
      `${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped`,
      "",
    ];
    process.stdout.write(lines.join("\n"));
  }
}
