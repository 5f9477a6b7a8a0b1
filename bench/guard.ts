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
import { coldStart } from "./suites/cold-start.js";
import { fetchBridges } from "./suites/fetch.js";
import { http } from "./suites/http.js";
import { inProcess } from "./suites/in-process.js";
import { large } from "./suites/large.js";
import { stdio } from "./suites/stdio.js";
import { streams } from "./suites/streams.js";

const FILE = `${BENCH}/guard.json`;
const SUITES: readonly Suite[] = [inProcess, http, fetchBridges, stdio, coldStart, streams, large];
const BASELINES: ReadonlySet<string> = new Set(["raw-zod", "raw-fixed", "raw-sse"]);

/** Values by case. They differ between versions of Node.js, so each version has its own. */
type Values = Readonly<Record<string, number>>;

/** Version of Node.js that this run measures. */
const VERSION = `node${process.versions.node.split(".", 1)[0] ?? ""}`;

/** Relative loss that triggers a warning. */
const TOLERANCE = 0.1;

/** Measures the guard's cases, and compares the results with the stored ones or stores them. */
export async function runGuard(options: BenchOptions): Promise<void> {
  const shares: Record<string, number> = {};
  for (const suite of SUITES) {
    if (!options.wants(suite.name)) continue;
    const takes = (server: string) => isGuarded(suite, server) && options.takes(server);
    for await (const table of suite.run({ ...options, takes })) {
      printTable(table);
      Object.assign(shares, ownShares(suite, table));
    }
  }
  const stored = readStored();
  if (options.save) {
    const values = { ...stored, [VERSION]: { ...stored[VERSION], ...shares } };
    writeFileSync(FILE, `${JSON.stringify(values, undefined, 2)}\n`);
    say(`\nStored in bench/guard.json.`);
    return;
  }
  report(shares, stored[VERSION] ?? {});
}

/** Returns true if the guard measures a server. Fetch functions have a suite and a baseline of their own. */
function isGuarded(suite: Suite, server: string): boolean {
  if (suite === fetchBridges) return server.endsWith("-fetch");
  return (isOwn(server) || BASELINES.has(server)) && !server.endsWith("-fetch");
}

function isOwn(server: string): boolean {
  return server === "tenon" || server.startsWith("tenon-");
}

/** Returns the share of each of Tenon's servers. Only `tenon` itself has the plain ID of its table. */
function ownShares({ name }: Suite, table: Table): Values {
  const rows = table.rows.filter(({ server }) => isOwn(server));
  return Object.fromEntries(
    rows
      .map((row) => {
        const id = `${name}:${table.id}${row.server === "tenon" ? "" : `:${row.server}`}`;
        return [id, Math.round(shareOfFloor(table, row) * 1000) / 1000] as const;
      })
      .filter(([, share]) => Number.isFinite(share)),
  );
}

function readStored(): Readonly<Record<string, Values>> {
  try {
    return JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Values>;
  } catch {
    return {};
  }
}

function report(shares: Values, stored: Values): void {
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
