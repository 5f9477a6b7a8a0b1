/**
 * @fileoverview Formats a server's token costs as text: tables of tools and views, totals, and changes.
 * @module cli/tokens/describe
 */
import type { Terminal } from "@tenon/internal/command-line/command";
import { bold, countOf, isTerminal, widthOf, wrapText } from "@tenon/internal/command-line/text";
import { oneLine } from "@tenon/internal/text";
import type { Comparison } from "./baseline.js";
import { barStyleOf, formatChange, formatNumber, formatShare } from "./format.js";
import type { TokenReport, ToolCost } from "./measure.js";
import { type CostRow, formatTable, type TableLayout } from "./table.js";

/** Options for the tables. */
export interface DescribeOptions {
  readonly sort: "tokens" | "name";
  /** Number of tools to show. @default all */
  readonly top: number | undefined;
  /** True to show the actions of grouped tools. */
  readonly showActions: boolean;
  readonly comparison: Comparison | undefined;
}

/** Formats a report as text. */
export function describeReport(
  report: TokenReport,
  options: DescribeOptions,
  terminal: Pick<Terminal, "stdout" | "env">,
): string {
  const { stdout, env } = terminal;
  const strong = bold(stdout, env);
  // The last column stays empty, because some terminals break the line there.
  const width = isTerminal(stdout) ? Math.max(MIN_WIDTH, widthOf(stdout) - 1) : FILE_WIDTH;
  const layout = { width, bars: barStyleOf(terminal) };
  const title = `${wordOf(report.server["name"])} ${wordOf(report.server["version"])}`.trim();
  const lines = [
    `${strong(title === "" ? "(no name)" : title)} (${report.revision}), ${nameOf(report.view)}`,
    `Tokens of ${report.encoding}`,
    "",
    ...describeTools(report, options, layout),
    ...describeRest(report, layout),
    ...describeViews(report, layout),
    ...(options.comparison === undefined ? [] : describeComparison(options.comparison)),
  ];
  return `${lines.join("\n")}\n`;
}

/** Width of the tables in a file or a pipe, and the narrowest layout, in columns. */
const FILE_WIDTH = 80;
const MIN_WIDTH = 20;
const MAX_NAME = 200;

function describeTools(
  report: TokenReport,
  { sort, top, showActions }: DescribeOptions,
  layout: TableLayout,
): readonly string[] {
  const { tools, total, instructions } = report;
  if (tools.length === 0 && instructions === 0) return ["This server does not offer tools or instructions."];
  const sorted = tools.toSorted((one, other) => compare(one, other, sort));
  const shown = top === undefined ? sorted : sorted.slice(0, top);
  const hidden = sorted.slice(shown.length);
  const toTotal = (label: string, tokens: number): CostRow => ({
    label,
    tokens,
    detail: formatShare(tokens, total),
    hasBar: false,
  });
  const rows: readonly CostRow[] = [
    ...shown.flatMap((tool) => [
      { label: nameOf(tool.name), tokens: tool.tokens, detail: formatShare(tool.tokens, total) },
      ...(showActions ? toActionRows(tool) : []),
    ]),
    ...(hidden.length === 0 ? [] : [toTotal(`(${countOf(hidden.length, "more tool")})`, sumOf(hidden))]),
    toTotal(countOf(tools.length, "tool"), total - instructions),
    ...(instructions === 0 ? [] : [toTotal("Instructions", instructions)]),
    toTotal("Total", total),
  ];
  return formatTable({ label: "Tool", tokens: "Tokens", detail: "Share" }, rows, layout);
}

function compare(one: ToolCost, other: ToolCost, sort: DescribeOptions["sort"]): number {
  const byName = one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
  return sort === "name" ? byName : other.tokens - one.tokens || byName;
}

function toActionRows({ actions = [] }: ToolCost): readonly CostRow[] {
  return actions.map(({ name, tokens }) => ({
    label: `  ${nameOf(name)}`,
    tokens,
    detail: "",
    hasBar: false,
  }));
}

/** Describes the costs that are not in the total. */
function describeRest({ prompts, tools }: TokenReport, { width }: TableLayout): readonly string[] {
  const parts = [
    [countOf(prompts.length, "prompt"), sumOf(prompts)],
    ["output schemas", tools.reduce((sum, tool) => sum + tool.outputSchema, 0)],
    ["titles, annotations, and the like", tools.reduce((sum, tool) => sum + tool.other, 0)],
  ] as const;
  const shown = parts.filter(([, tokens]) => tokens > 0);
  if (shown.length === 0) return [];
  const texts = shown.map(([what, tokens]) => `${what} (${formatNumber(tokens)})`);
  return ["", ...wrapText(`Not in the total: ${texts.join("; ")}`, width)];
}

function describeViews({ views, omittedViews }: TokenReport, layout: TableLayout): readonly string[] {
  if (views.length < 2) return [];
  const rows = views.map(({ name, tools, tokens }) => ({
    label: nameOf(name),
    tokens,
    detail: formatNumber(tools),
  }));
  const rest =
    omittedViews === 0 ? [] : [`(${countOf(omittedViews, "more view")}. Select one with --scope or --tags)`];
  return ["", ...formatTable({ label: "View", tokens: "Tokens", detail: "Tools" }, rows, layout), ...rest];
}

function describeComparison({ file, before, after, tools }: Comparison): readonly string[] {
  const name = oneLine(file, MAX_NAME);
  if (tools.length === 0 && before === after) return ["", `No change since ${name}`];
  const totals = `${formatNumber(before)} before, ${formatNumber(after)} now`;
  const lines = tools.map((tool) => {
    const change = formatChange((tool.after ?? 0) - (tool.before ?? 0));
    const note = tool.before === null ? " (new)" : tool.after === null ? " (removed)" : "";
    return `  ${nameOf(tool.name)}: ${change}${note}`;
  });
  return ["", `Change since ${name}: ${formatChange(after - before)} tokens (${totals})`, ...lines];
}

function sumOf(costs: readonly { readonly tokens: number }[]): number {
  return costs.reduce((sum, { tokens }) => sum + tokens, 0);
}

function nameOf(name: string): string {
  const shown = oneLine(name, MAX_NAME);
  return shown === "" ? "(no name)" : shown;
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? oneLine(value, MAX_NAME) : "";
}
