/**
 * @fileoverview Token counts for people.
 * @module agent/page-app/state/usage
 */
import type { TokenUsage } from "@tenon/agent/client";
import { formatCount } from "@tenon/ui/support/format.js";

/** Formats a token count with a unit of three digits, such as `950`, `1.2k`, or `3.4M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  const [value, unit] = count < 999_500 ? [count / 1_000, "k"] : [count / 1_000_000, "M"];
  return `${Number(value.toFixed(value < 99.95 ? 1 : 0))}${unit}`;
}

/** Describes the tokens of a response in one line, or returns an empty text if no count is known. */
export function describeUsage({ inputTokens, outputTokens }: TokenUsage): string {
  const parts = [
    inputTokens === undefined ? "" : `${formatTokens(inputTokens)} tokens in`,
    outputTokens === undefined ? "" : `${formatTokens(outputTokens)} out`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

const LABELS: readonly (readonly [keyof TokenUsage, string])[] = [
  ["inputTokens", "Input"],
  ["cachedInputTokens", "Input from the cache"],
  ["outputTokens", "Output"],
  ["reasoningTokens", "Output for thinking"],
];

/** Returns the known counts with their labels. */
export function usageRows(usage: TokenUsage): readonly (readonly [string, string])[] {
  return LABELS.flatMap(([key, label]) => {
    const count = usage[key];
    return count === undefined ? [] : [[label, formatCount(count)] as const];
  });
}
