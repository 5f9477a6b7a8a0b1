/**
 * @fileoverview Formats costs as a table with bars that fits the terminal.
 * @module cli/tokens/table
 */
import { type BarStyle, drawBar, formatNumber } from "./format.js";

/** Row of a table. Its texts must not contain control characters. */
export interface CostRow {
  readonly label: string;
  readonly tokens: number;
  /** Text of the third column, such as a share. */
  readonly detail: string;
  /** False for rows without a bar, such as totals. @default true */
  readonly hasBar?: boolean;
}

/** Titles of the columns before the bar. */
export type TableHead = Readonly<Record<"label" | "tokens" | "detail", string>>;

/** Width of a table, and the characters of its bars. */
export interface TableLayout {
  /** Width in columns. Lines are at most this long, except in a very narrow terminal. */
  readonly width: number;
  readonly bars: BarStyle;
}

/** Formats rows below their titles. The longest bar belongs to the most expensive row that has one. */
export function formatTable(
  head: TableHead,
  rows: readonly CostRow[],
  layout: TableLayout,
): readonly string[] {
  const tokensWidth = longest([head.tokens, ...rows.map(({ tokens }) => formatNumber(tokens))]);
  const detailWidth = longest([head.detail, ...rows.map(({ detail }) => detail)]);
  const numbers = GAP + tokensWidth + GAP + detailWidth;
  const room = layout.width - numbers - GAP - MIN_BAR;
  const labelWidth = Math.min(
    longest([head.label, ...rows.map(({ label }) => label)]),
    Math.max(MIN_LABEL, room),
  );
  const cells = Math.min(MAX_BAR, layout.width - labelWidth - numbers - GAP);
  const most = Math.max(1, ...rows.filter(({ hasBar }) => hasBar !== false).map(({ tokens }) => tokens));
  const toLine = (cellTexts: TableHead, bar: string) =>
    [
      shorten(cellTexts.label, labelWidth).padEnd(labelWidth),
      cellTexts.tokens.padStart(tokensWidth),
      cellTexts.detail.padStart(detailWidth),
      bar,
    ]
      .join(" ".repeat(GAP))
      .trimEnd();
  const lines = rows.map(({ label, tokens, detail, hasBar }) => {
    const isDrawn = hasBar !== false && cells >= MIN_BAR;
    const bar = isDrawn ? drawBar(tokens / most, cells, layout.bars) : "";
    return toLine({ label, tokens: formatNumber(tokens), detail }, bar);
  });
  return [toLine(head, ""), ...lines];
}

/** Spaces between two columns. */
const GAP = 2;
/** Widths in columns. A bar that would be narrower than its minimum is not shown. */
const MIN_LABEL = 8;
const MIN_BAR = 5;
const MAX_BAR = 40;

function longest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

function shorten(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
