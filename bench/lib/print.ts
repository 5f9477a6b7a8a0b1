/**
 * @fileoverview Prints result tables: the ratio first, then its figures.
 * @module bench/lib/print
 */
import { middle, type Row, shareOfFloor, type Table } from "./result.js";
import type { Spread } from "./stats.js";

/** Prints a line. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a table, cheapest server first. */
export function printTable(table: Table): void {
  const { floor, columns, metric } = table;
  const heads = [
    "server",
    ...(floor === undefined ? [] : [`% of ${floor}`]),
    ...Object.values(columns),
    "errors",
  ];
  const rows = [...table.rows].sort((a, b) => sortKey(a, metric) - sortKey(b, metric));
  const lines = rows.map((row) => [
    row.server,
    ...(floor === undefined ? [] : [percent(shareOfFloor(table, row))]),
    ...Object.keys(columns).map((key) => formatFigure(row.figures[key], key === metric)),
    row.errors === undefined ? "" : String(row.errors),
    row.note ?? "",
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const format = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  say(`\n${table.title}  [${table.id}]`);
  say(format(heads));
  for (const line of lines) say(format(line));
}

function sortKey(row: Row, metric: string): number {
  const value = middle(row.figures[metric]);
  return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
}

/** Formats a ratio with suitable precision. */
export function percent(ratio: number): string {
  if (!Number.isFinite(ratio)) return "–";
  return `${(ratio * 100).toFixed(ratio < 0.1 ? 1 : 0)}%`;
}

function formatFigure(figure: Spread | number | undefined, withSpread: boolean): string {
  const value = middle(figure);
  if (Number.isNaN(value)) return "–";
  if (typeof figure !== "object" || !withSpread) return number(value);
  return `${number(value)} (${number(figure.q1)}–${number(figure.q3)})`;
}

function number(value: number): string {
  const digits = Math.abs(value) >= 1_000 ? 0 : Math.abs(value) >= 100 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
}
