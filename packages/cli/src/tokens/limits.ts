/**
 * @fileoverview Limits for a server's cost, which fail a build in CI.
 * @module cli/tokens/limits
 */
import { oneLine } from "@tenon/internal/text";
import { formatNumber } from "./format.js";
import type { TokenReport } from "./measure.js";

/** Maximum costs in tokens. */
export interface TokenLimits {
  readonly max: number | undefined;
  readonly maxPerTool: number | undefined;
}

/** Returns one sentence for each limit that the server exceeds. */
export function findExcess(
  { total, tools }: TokenReport,
  { max, maxPerTool }: TokenLimits,
): readonly string[] {
  return [
    ...(max === undefined || total <= max
      ? []
      : [`The total is ${describeExcess(total, max)} than --max ${formatNumber(max)}.`]),
    ...tools.flatMap(({ name, tokens }) =>
      maxPerTool === undefined || tokens <= maxPerTool
        ? []
        : [
            `Tool "${oneLine(name, 80)}" has ${describeExcess(tokens, maxPerTool)} than ` +
              `--max-per-tool ${formatNumber(maxPerTool)}.`,
          ],
    ),
  ];
}

function describeExcess(tokens: number, limit: number): string {
  return `${formatNumber(tokens)} tokens, ${formatNumber(tokens - limit)} more`;
}
