/**
 * @fileoverview Summaries of views of a server's tools.
 * @module cli/page/workbench/catalog/views
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ViewSummary } from "../../protocol.js";

/** Title of the list that clients see. */
export const AS_LISTED_VIEW = "as listed";

interface ViewCounts {
  /** Tokens of each tool. Absent before they are counted. */
  readonly counts?: readonly number[];
  readonly instructions?: number;
}

/** Summarizes a view. Like `tenon tokens`, the total contains the instructions. */
export function toView(
  title: string,
  tools: readonly JsonObject[],
  { counts, instructions = 0 }: ViewCounts,
): ViewSummary {
  return {
    id: title,
    title,
    toolCount: tools.length,
    tokens: counts?.reduce((sum, tokens) => sum + tokens, instructions),
    tools: Object.fromEntries(counts?.map((tokens, index) => [String(tools[index]?.["name"]), tokens]) ?? []),
  };
}
