/**
 * @fileoverview Generated histories of tasks: polls, answers, cancellations, expiry, and lost nodes in any order.
 * @module tools/fuzz/histories
 */
import * as fc from "fast-check";
import { history } from "../task-histories/commands.js";
import { createPeers, createSuccessors } from "../task-histories/nodes.js";
import { runHistory } from "../task-histories/world.js";

/** Runs histories on both kinds of clusters. Returns the number of runs and the reports of failures. */
export async function runHistories(
  count: number,
  seed: number,
): Promise<{ readonly runs: number; readonly failures: readonly string[] }> {
  const failures: string[] = [];
  let runs = 0;
  for (const createCluster of [createSuccessors, createPeers]) {
    const property = fc.asyncProperty(history, (commands) => runHistory(createCluster, commands));
    const report = await fc.check(property, { numRuns: Math.ceil(count / 2), seed });
    runs += report.numRuns;
    if (report.failed) failures.push(fc.defaultReportMessage(report) ?? "");
  }
  return { runs, failures };
}
