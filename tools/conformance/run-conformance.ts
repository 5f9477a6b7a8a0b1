/**
 * @fileoverview Runs the official conformance suite: its server scenarios against the everything server, and its client
 * scenarios with `tenon/client` and `@tenon/oauth`.
 * @module tools/conformance/run-conformance
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePrograms } from "../bundle-programs.js";
import { findRedis, startRedis } from "../redis-server.js";
import { startEverythingNodes, startEverythingServer } from "./everything-server.js";
import { findSuite } from "./install.js";
import { CLIENT_EXPECTATIONS, type Expectations, EXPECTATIONS, judge, type Verdict } from "./judge.js";
import { runClientSuite, runSuite, type Selection, SELECTIONS, type SuiteRun } from "./run-suite.js";

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
  /** @default the expectations for all selections */
  readonly expectations?: Expectations;
}

/** Runs selections of the suite against one server, or against two nodes. */
export async function runConformance({
  redis = false,
  selections = SELECTIONS,
  expectations = EXPECTATIONS,
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
      return { kind: "done", verdict: judge(runs, expectations) };
    } finally {
      await server.stop();
    }
  } finally {
    await database?.stop();
  }
}

/** Runs the client scenarios: by default, all of both revisions. */
export async function runClientConformance({
  selections = SELECTIONS.filter(([kind]) => kind === "--requirements"),
  expectations = CLIENT_EXPECTATIONS,
}: Omit<ConformanceOptions, "redis"> = {}): Promise<ConformanceOutcome> {
  const found = await findSuite();
  if (!found.ok) return { kind: "left-out", reason: found.reason };
  const folder = await mkdtemp(join(tmpdir(), "tenon-conformance-client-"));
  try {
    const programs = ["everything-client", "client-launcher"];
    await bundlePrograms(
      programs.map((name) => `tools/conformance/${name}.ts`),
      folder,
    );
    const command = `${process.execPath} ${join(folder, "client-launcher.mjs")}`;
    const runs: SuiteRun[] = [];
    for (const selection of selections) runs.push(await runClientSuite(found.suite, command, selection));
    return { kind: "done", verdict: judge(runs, expectations) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
