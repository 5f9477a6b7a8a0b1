/**
 * @fileoverview Draws the plots of the README from `bench/results/`: `tsx bench/plot.ts [folder]`. Plain SVG, readable
 * on light and dark backgrounds.
 * @module bench/plot
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { BENCH, ROOT } from "./lib/paths.js";
import { percent, say } from "./lib/print.js";
import { middle, shareOfFloor, type Table } from "./lib/result.js";
import { type Bar, drawBars } from "./lib/svg.js";

interface Plot {
  readonly file: string;
  readonly title: string;
  readonly suite: string;
  readonly table: string;
  readonly bars: (table: Table) => readonly Bar[];
}

const PLOTS: readonly Plot[] = [
  ...(["session", "modern"] as const).map((mode): Plot => ({
    file: `http-order-${mode}`,
    title: `HTTP, realistic tools/call, ${mode}: share of raw node:http + zod, by CPU time`,
    suite: "http",
    table: `order-${mode}-32`,
    bars: shares,
  })),
  {
    file: "fetch-order-modern",
    title: "Realistic tools/call behind @hono/node-server 2, modern: share of raw-fetch, by CPU time",
    suite: "fetch",
    table: "hono-2-modern",
    bars: shares,
  },
  {
    file: "http-list",
    title: "HTTP tools/list, 100 tools: share of a fixed answer, by CPU time",
    suite: "http",
    table: "list-stateless-32",
    bars: shares,
  },
  {
    file: "cold-start",
    title: "Cold start on stdio: milliseconds over bare node",
    suite: "cold-start",
    table: "stdio",
    bars: (table) => plain(table, "overBare", (value) => `${value.toFixed(0)} ms`),
  },
  {
    file: "sessions",
    title: "Heap of an idle session, KiB",
    suite: "memory",
    table: "session",
    bars: (table) => plain(table, "sessions", (value) => `${value.toFixed(1)} KiB`),
  },
];

const folder = process.argv[2] ?? `${ROOT}/docs/plots`;
mkdirSync(folder, { recursive: true });
for (const { file, title, suite, table: id, bars } of PLOTS) {
  const table = readTable(suite, id);
  if (table === undefined) {
    say(`${file}: there are no results of ${suite}:${id} yet.`);
    continue;
  }
  writeFileSync(`${folder}/${file}.svg`, drawBars(title, bars(table)));
  say(`${folder}/${file}.svg`);
}

function readTable(suite: string, id: string): Table | undefined {
  const path = `${BENCH}/results/${suite}.json`;
  if (!existsSync(path)) return undefined;
  const { tables } = JSON.parse(readFileSync(path, "utf8")) as { readonly tables: readonly Table[] };
  return tables.find((table) => table.id === id);
}

/** Creates the bars of a table of shares. Longer is better. */
function shares(table: Table): readonly Bar[] {
  return table.rows
    .map((row) => ({ label: row.server, value: shareOfFloor(table, row) }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => b.value - a.value)
    .map(({ label, value }) => ({ label, value, text: percent(value), own: label.startsWith("tenon") }));
}

/** Creates the bars of a table of plain figures. Shorter is better. */
function plain(table: Table, key: string, format: (value: number) => string): readonly Bar[] {
  return table.rows
    .map((row) => ({ label: row.server, value: middle(row.figures[key]) }))
    .filter(({ label, value }) => Number.isFinite(value) && label !== "bare")
    .sort((a, b) => a.value - b.value)
    .map(({ label, value }) => ({
      label,
      value: Math.max(value, 0),
      text: format(value),
      own: label.startsWith("tenon"),
    }));
}
