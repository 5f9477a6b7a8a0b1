/**
 * @fileoverview Counts the tokens of a server's tools in each view. Other work runs in between, because that takes long
 * for large servers.
 * @module cli/page/workbench/catalog/count-tokens
 */
import { setImmediate as pause } from "node:timers/promises";
import type { JsonObject } from "@tenon/internal/json";
import { toToolText } from "../../../tokens/measure.js";
import type { Tokenizer } from "../../../tokens/tokenizer.js";
import type { ViewSummary } from "../../protocol.js";
import type { ToolView } from "../inspected-server.js";
import { AS_LISTED_VIEW, toView } from "./views.js";

/** Views with their costs. The first one is the list that clients see. */
export interface Costs {
  /** Tokens of each tool in the list. */
  readonly tools: readonly number[];
  readonly views: readonly ViewSummary[];
}

/** Parts of a server that cost tokens. */
export interface CostParts {
  readonly tools: readonly JsonObject[];
  readonly instructions: string | undefined;
  readonly views: readonly ToolView[];
}

/** Counts the tokens of all tools and views. Stops if the signal aborts. */
export async function countTokens(
  parts: CostParts,
  { count }: Tokenizer,
  signal: AbortSignal,
): Promise<Costs> {
  const instructions = count(parts.instructions ?? "");
  const measure = async (title: string, tools: readonly JsonObject[]) => {
    const counts: number[] = [];
    for (const tool of tools) {
      await pause();
      signal.throwIfAborted();
      counts.push(count(toToolText(tool)));
    }
    return { counts, view: toView(title, tools, { counts, instructions }) };
  };
  const { counts, view } = await measure(AS_LISTED_VIEW, parts.tools);
  const views = [view];
  for (const { title, tools } of parts.views) {
    const more = await measure(title, tools);
    views.push(more.view);
  }
  return { tools: counts, views };
}
