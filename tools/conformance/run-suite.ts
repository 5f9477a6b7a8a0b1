/**
 * @fileoverview Runs the suite against a server, and reads what it found: every check of every scenario, scored or not.
 * @module tools/conformance/run-suite
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBounded } from "../process.js";
import type { Suite } from "./install.js";

/** Which scenarios to run, in the suite's own words. */
export const SELECTIONS = [
  ["--requirements", "2026-07-28"],
  ["--requirements", "2025-11-25"],
  ["--suite", "all"],
] as const;

/** One of them. */
export type Selection = (typeof SELECTIONS)[number];

/** One check, as far as it is looked at. */
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

/** What one run of the suite found. */
export interface SuiteRun {
  readonly selection: string;
  readonly scenarios: readonly Scenario[];
  /** Why the run is not to be trusted: it broke off, or results are missing. */
  readonly problem?: string;
}

/** Runs the suite once. Its own exit code is of no use: it leaves out what a revision does not score. */
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

/** A scenario takes a second or two; a run of them all ten. */
const SCENARIO_MS = "15000";
const RUN_MS = 80_000;

/** Each scenario has a folder of its own, `server-<name>-<time>`. */
function readScenarios(folder: string): readonly Scenario[] {
  return readdirSync(folder).flatMap((entry) => {
    const [, name] = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(entry) ?? [];
    const file = join(folder, entry, "checks.json");
    if (name === undefined || !existsSync(file)) return [];
    return [{ name, checks: JSON.parse(readFileSync(file, "utf8")) as readonly Check[] }]; // the suite's own format
  });
}
