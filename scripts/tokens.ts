/**
 * @fileoverview `npm run tokens`: prints the token costs of an API with 40 operations, as separate and as grouped
 * tools, in JSON and in TOON. With `--json`, prints the figures as JSON.
 * @module scripts/tokens
 */
import { pathToFileURL } from "node:url";
import { measureTokens, type TokenReport } from "./token-report/measure.js";

/** Formats the table of tool lists, as it appears in the documentation. */
export function listTable({ lists }: TokenReport): string {
  return toTable(
    ["`tools/list`", "Tools", "Tokens", "Ratio"],
    lists.map(({ form, tools, tokens, ratio }) => [form, String(tools), withCommas(tokens), percent(ratio)]),
  );
}

/** Formats the table of results, as it appears in the documentation. */
export function resultTable({ results }: TokenReport): string {
  return toTable(
    ["Result", "As", "Tokens", "Ratio"],
    results.flatMap(({ what, costs }) =>
      costs.map(({ form, tokens, ratio }) => [what, form, withCommas(tokens), percent(ratio)]),
    ),
  );
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 100)}%`;
}

function withCommas(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats a Markdown table with aligned columns. */
function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const report = await measureTokens();
  const text = `${report.operations} operations, counted with o200k\n\n${listTable(report)}\n\n${resultTable(report)}`;
  console.log(process.argv.includes("--json") ? JSON.stringify(report, undefined, 2) : text);
}
