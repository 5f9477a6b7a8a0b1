/**
 * @fileoverview `npm run conformance`: runs the official conformance suite against the everything server. Fails on any
 * failed check or warning, except in scenarios that are expected to fail, and if a scenario skips checks. With `--redis`, runs it against two nodes.
 * @module scripts/conformance
 */
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { startEverythingNodes, startEverythingServer } from "../tools/conformance/everything-server.js";
import { findSuite } from "../tools/conformance/install.js";
import { EXPECTATIONS, judge, type ScenarioReport, type Verdict } from "../tools/conformance/judge.js";
import { runSuite, type Selection, SELECTIONS, type SuiteRun } from "../tools/conformance/run-suite.js";
import { findRedis, startRedis } from "../tools/redis-server.js";

/** Results of the suite, or the reason that it could not run. */
export type ConformanceOutcome =
  | { readonly kind: "left-out"; readonly reason: string }
  | { readonly kind: "done"; readonly verdict: Verdict };

/** Options for `runConformance`. */
export interface ConformanceOptions {
  /**
   * Runs two nodes that share a real Redis. Each request goes to the next node.
   * @default false
   */
  readonly redis?: boolean;
  /** @default every selection */
  readonly selections?: readonly Selection[];
}

/** Runs selections of the suite against one server, or against two nodes. */
export async function runConformance({
  redis = false,
  selections = SELECTIONS,
}: ConformanceOptions = {}): Promise<ConformanceOutcome> {
  const found = await findSuite();
  if (!found.ok) return { kind: "left-out", reason: found.reason };
  const installed = redis ? await findRedis() : undefined;
  if (installed !== undefined && installed.path === undefined)
    return { kind: "left-out", reason: installed.reason };
  const database = redis ? await startRedis() : undefined;
  try {
    const server = await (database === undefined
      ? startEverythingServer()
      : startEverythingNodes(database.url));
    try {
      const runs: SuiteRun[] = [];
      // Run them one at a time, because some scenarios change the server's lists and others compare them.
      for (const selection of selections) runs.push(await runSuite(found.suite, server.url, selection));
      return { kind: "done", verdict: judge(runs, EXPECTATIONS) };
    } finally {
      await server.stop();
    }
  } finally {
    await database?.stop();
  }
}

/** Formats the result of a scenario as one line. */
export function reportScenario({ name, passed, failures, warnings, expected }: ScenarioReport): string {
  const mark = failures.length + warnings.length === 0 ? "✓" : expected ? "~" : "✗";
  const note = expected ? " (expected)" : "";
  return `${mark} ${name}: ${passed} passed, ${failures.length} failed, ${warnings.length} warnings${note}`;
}

/** Prints the outcome, and sets the exit code. */
export function reportOutcome(outcome: ConformanceOutcome): void {
  if (outcome.kind === "left-out") {
    console.error(`Skipped the conformance suite: ${outcome.reason}`);
    process.exitCode = 1;
    return;
  }
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values } = parseArgs({ options: { redis: { type: "boolean", default: false } } });
  reportOutcome(await runConformance({ redis: values.redis }));
}
