/**
 * @fileoverview Runs the suite against a server, and reads every check of every scenario, scored or not.
 * @module tools/conformance/run-suite
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBounded } from "../process.js";
import type { Suite } from "./install.js";

/** Selections of scenarios, as arguments of the suite. */
export const SELECTIONS = [
  ["--requirements", "2026-07-28"],
  ["--requirements", "2025-11-25"],
  ["--suite", "all"],
] as const;

/** One selection. */
export type Selection = (typeof SELECTIONS)[number];

/** The used part of a check. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** A scenario and its checks. */
export interface Scenario {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** Results of one run of the suite. */
export interface SuiteRun {
  readonly selection: string;
  readonly scenarios: readonly Scenario[];
  /** Reason not to trust the run: it ended early, or results are missing. */
  readonly problem?: string;
}

/** Runs the suite once. Ignores its exit code, because that omits checks that a revision does not score. */
export async function runSuite(suite: Suite, url: string, selection: Selection): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-conformance-"));
  try {
    const args = [suite.entry, "server", "--url", url, ...selection, "--timeout", SCENARIO_MS, "-o", folder];
    const { output } = await runBounded(suite.node, args, { cwd: folder, timeoutMs: RUN_MS });
    const scenarios = readScenarios(folder);
    const expected = Number(/\((\d+) scenarios\)/.exec(output)?.[1] ?? Number.NaN);
    return {
      selection: selection.join(" "),
      scenarios,
      ...(scenarios.length === expected
        ? {}
        : {
            problem: `${scenarios.length} of ${expected} scenarios have results: ${output.slice(0, 1_000)}`,
          }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Time limit of a scenario in milliseconds. A scenario takes a second or two, a whole run ten. */
const SCENARIO_MS = "15000";
const RUN_MS = 80_000;

/** Reads the results. Each scenario has its own folder, `server-<name>-<time>`. */
function readScenarios(folder: string): readonly Scenario[] {
  return readdirSync(folder).flatMap((entry) => {
    const [, name] = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(entry) ?? [];
    const file = join(folder, entry, "checks.json");
    if (name === undefined || !existsSync(file)) return [];
    return [{ name, checks: JSON.parse(readFileSync(file, "utf8")) as readonly Check[] }]; // the suite's own format
  });
}
