/**
 * @fileoverview The guard compares Tenon's cost relative to the baselines with stored values. It warns but never fails,
 * because a busy machine must not fail a test run.
 * @module bench/guard
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { BenchOptions } from "./lib/options.js";
import { BENCH } from "./lib/paths.js";
import { percent, printTable, say } from "./lib/print.js";
import { shareOfFloor, type Table } from "./lib/result.js";
import type { Suite } from "./lib/suite.js";
import { http } from "./suites/http.js";
import { inProcess } from "./suites/in-process.js";
import { stdio } from "./suites/stdio.js";

const FILE = `${BENCH}/guard.json`;
const SUITES: readonly Suite[] = [inProcess, http, stdio];
const SERVERS: ReadonlySet<string> = new Set(["tenon", "raw-zod", "raw-fixed"]);

/** Relative loss that triggers a warning. */
const TOLERANCE = 0.1;

/** Measures the guard's cases, and compares the results with the stored ones or stores them. */
export async function runGuard(options: BenchOptions): Promise<void> {
  const narrowed: BenchOptions = { ...options, takes: (server) => SERVERS.has(server) };
  const shares: Record<string, number> = {};
  for (const suite of SUITES) {
    if (!options.wants(suite.name)) continue;
    for await (const table of suite.run(narrowed)) {
      printTable(table);
      const share = ownShare(table);
      if (share !== undefined) shares[`${suite.name}:${table.id}`] = share;
    }
  }
  if (options.save) {
    writeFileSync(FILE, `${JSON.stringify({ ...readStored(), ...shares }, undefined, 2)}\n`);
    say(`\nStored in bench/guard.json.`);
    return;
  }
  report(shares, readStored());
}

function ownShare(table: Table): number | undefined {
  const own = table.rows.find(({ server }) => server === "tenon");
  const share = own === undefined ? Number.NaN : shareOfFloor(table, own);
  return Number.isFinite(share) ? Math.round(share * 1000) / 1000 : undefined;
}

function readStored(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(FILE, "utf8")) as Record<string, number>;
  } catch {
    return {};
  }
}

function report(shares: Readonly<Record<string, number>>, stored: Readonly<Record<string, number>>): void {
  say("");
  let warnings = 0;
  for (const [id, share] of Object.entries(shares)) {
    const before = stored[id];
    if (before === undefined) {
      say(`  new   ${id}: ${percent(share)} of the baseline; store it with --guard --save`);
      continue;
    }
    const isWorse = share < before * (1 - TOLERANCE);
    if (isWorse) warnings++;
    say(
      `  ${isWorse ? "WARN" : "ok  "}  ${id}: ${percent(share)} of the baseline, stored: ${percent(before)}`,
    );
  }
  say(
    warnings === 0
      ? "\nNo case costs over 10 % more than stored."
      : `\n${warnings} cases cost over 10 % more than stored. Inspect them with: npm run bench -- --only=…`,
  );
}
