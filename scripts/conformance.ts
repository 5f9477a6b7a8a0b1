/**
 * @fileoverview `npm run conformance`: runs the official conformance suite against the everything server. Fails on any
 * failed check or warning, except in scenarios that are expected to fail.
 * @module scripts/conformance
 */
import { pathToFileURL } from "node:url";
import { startEverythingServer } from "../tools/conformance/everything-server.js";
import { findSuite } from "../tools/conformance/install.js";
import { judge, type ScenarioReport, type Verdict } from "../tools/conformance/judge.js";
import { runSuite, SELECTIONS, type SuiteRun } from "../tools/conformance/run-suite.js";

/** Results of the suite, or the reason that it could not run. */
export type ConformanceOutcome =
  | { readonly kind: "left-out"; readonly reason: string }
  | { readonly kind: "done"; readonly verdict: Verdict };

/** Runs every selection of the suite against one server. */
export async function runConformance(): Promise<ConformanceOutcome> {
  const found = await findSuite();
  if (!found.ok) return { kind: "left-out", reason: found.reason };
  const server = await startEverythingServer();
  try {
    const runs: SuiteRun[] = [];
    // Run them one at a time, because some scenarios change the server's lists and others compare them.
    for (const selection of SELECTIONS) runs.push(await runSuite(found.suite, server.url, selection));
    return { kind: "done", verdict: judge(runs) };
  } finally {
    await server.stop();
  }
}

/** Formats the result of a scenario as one line. */
export function reportScenario({ name, passed, failures, warnings, expected }: ScenarioReport): string {
  const mark = failures.length + warnings.length === 0 ? "✓" : expected ? "~" : "✗";
  const note = expected ? " (expected)" : "";
  return `${mark} ${name}: ${passed} passed, ${failures.length} failed, ${warnings.length} warnings${note}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const outcome = await runConformance();
  if (outcome.kind === "left-out") {
    console.error(`Skipped the conformance suite: ${outcome.reason}`);
    process.exitCode = 1;
  } else {
    const { scenarios, passed, problems } = outcome.verdict;
    for (const [index, scenario] of scenarios.entries()) {
      if (scenario.selection !== scenarios[index - 1]?.selection) console.log(`\n${scenario.selection}`);
      console.log(`  ${reportScenario(scenario)}`);
    }
    console.log("");
    for (const problem of problems) console.log(problem);
    console.log(`${passed} passed, ${problems.length} failed`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }
}
