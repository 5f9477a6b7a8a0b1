/**
 * @fileoverview Runs the suite against a server, and reads every check of every scenario, scored or not.
 * @module tools/conformance/run-suite
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Revision } from "tenon/protocol";
import { runBounded } from "../process.js";
import type { Suite } from "./install.js";

/** Selections of scenarios, as arguments of the suite. */
export const SELECTIONS = [
  ["--requirements", "2026-07-28"],
  ["--requirements", "2025-11-25"],
  ["--suite", "all"],
] as const;

/** Arguments that select scenarios: all of a revision, all of the suite, or a single one. */
export type Selection =
  (typeof SELECTIONS)[number] | readonly ["--scenario", string, "--spec-version", Revision];

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

/** Runs the server scenarios once. Ignores the exit code, because that omits checks that a revision does not score. */
export function runSuite(suite: Suite, url: string, selection: Selection): Promise<SuiteRun> {
  return run(suite, ["server", "--url", url, "--timeout", SCENARIO_MS], selection);
}

/** Runs the client scenarios of a revision once. The suite starts the command, with the URL of a test server. */
export function runClientSuite(suite: Suite, command: string, selection: Selection): Promise<SuiteRun> {
  return run(suite, ["client", "--command", command, "--timeout", CLIENT_SCENARIO_MS], selection);
}

async function run(suite: Suite, role: readonly string[], selection: Selection): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-conformance-"));
  try {
    const args = [suite.entry, ...role, ...selection, "-o", folder];
    const { output } = await runBounded(suite.node, args, { cwd: folder, timeoutMs: RUN_MS });
    const scenarios = readScenarios(folder);
    const isSingle = selection[0] === "--scenario";
    const expected = isSingle ? 1 : Number(/\((\d+) scenarios\)/.exec(output)?.[1] ?? Number.NaN);
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

/**
 * Time limits in milliseconds. A scenario takes a second or two and a whole run ten, but the suite starts the processes of
 * all client scenarios at the same time, and most of them wait for their turn.
 */
const SCENARIO_MS = "120000";
const CLIENT_SCENARIO_MS = "600000";
const RUN_MS = 900_000;

/**
 * Reads the results. Each scenario has its own folder, `server-<name>-<time>` or `<name>-<time>`. A name with a slash is
 * a folder in a folder.
 */
function readScenarios(folder: string): readonly Scenario[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((entry) => {
    const [, name] = /^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(entry) ?? [];
    const file = join(folder, entry, "checks.json");
    if (name === undefined || !existsSync(file)) return [];
    return [{ name, checks: JSON.parse(readFileSync(file, "utf8")) as readonly Check[] }]; // the suite's own format
  });
}
