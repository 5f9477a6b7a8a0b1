/**
 * @fileoverview Prints the results of the conformance suite.
 * @module tools/conformance/report
 */
import type { ScenarioReport } from "./judge.js";
import type { ConformanceOutcome } from "./run-conformance.js";

/** Prints the outcome. Returns true if everything passed. */
export function reportOutcome(outcome: ConformanceOutcome, print: (line: string) => void): boolean {
  if (outcome.kind === "left-out") {
    print(`Skipped the conformance suite: ${outcome.reason}`);
    return false;
  }
  const { scenarios, passed, problems } = outcome.verdict;
  for (const [index, scenario] of scenarios.entries()) {
    if (scenario.selection !== scenarios[index - 1]?.selection) print(`\n${scenario.selection}`);
    print(`  ${reportScenario(scenario)}`);
  }
  print("");
  for (const problem of problems) print(problem);
  print(`${passed} passed, ${problems.length} failed`);
  return problems.length === 0;
}

function reportScenario({ name, passed, failures, warnings, expected }: ScenarioReport): string {
  const mark = failures.length + warnings.length === 0 ? "✓" : expected ? "~" : "✗";
  const note = expected ? " (expected)" : "";
  return `${mark} ${name}: ${passed} passed, ${failures.length} failed, ${warnings.length} warnings${note}`;
}
