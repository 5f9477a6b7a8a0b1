/**
 * @fileoverview Runs the official conformance suite against two servers: the unmodified one, and the one on Tenon.
 * @module tools/official-examples/compare-conformance
 */
import { findSuite, type Suite } from "../conformance/install.js";
import { runSuite, type Selection } from "../conformance/run-suite.js";
import { type Example, startExample } from "./example-process.js";
import type { ExampleResult } from "./report.js";

/** Servers to compare, and the scenarios to run. */
export interface ConformanceComparison {
  readonly official: Example;
  readonly tenon: Example;
  readonly selections: readonly Selection[];
}

/** Runs the suite against both servers. Tenon must pass all checks that the official server passes. */
export async function compareConformance(
  comparison: ConformanceComparison,
): Promise<Pick<ExampleResult, "runErrors" | "skipped">> {
  const found = await findSuite();
  if (!found.ok)
    return { runErrors: [], skipped: `Could not install the conformance suite: ${found.reason}` };
  const { official, tenon, selections } = comparison;
  try {
    const expected = await statusesOf(found.suite, official, selections);
    const actual = await statusesOf(found.suite, tenon, selections);
    const lost = [...expected].filter(([id, status]) => status === PASSED && actual.get(id) !== PASSED);
    return {
      runErrors: lost.map(
        ([id]) => `${id}: the unmodified server passes; got ${actual.get(id) ?? "nothing"}`,
      ),
    };
  } catch (error) {
    return { runErrors: [(error as Error).message] };
  }
}

const PASSED = "SUCCESS";

/** Returns the status of every check, by scenario and ID. A check that ran more than once passes if it always passed. */
async function statusesOf(
  suite: Suite,
  example: Example,
  selections: readonly Selection[],
): Promise<ReadonlyMap<string, string>> {
  const running = await startExample(example);
  const statuses = new Map<string, string>();
  try {
    for (const chosen of selections) {
      const { scenarios, problem } = await runSuite(suite, `${running.origin}/mcp`, chosen);
      if (problem !== undefined) throw new Error(`${example.file}: ${problem}`);
      for (const { name, checks } of scenarios) {
        for (const { id, status, errorMessage = "" } of checks) {
          const key = `${name}/${id}`;
          if ((statuses.get(key) ?? PASSED) !== PASSED) continue;
          statuses.set(key, status === PASSED ? PASSED : `${status} ${errorMessage}`.trim());
        }
      }
    }
  } finally {
    await running.stop();
  }
  return statuses;
}
