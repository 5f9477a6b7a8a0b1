/**
 * @fileoverview Limits on type instantiations. They are counts, so a slow or busy machine does not change them.
 * @module tools/type-cost/budget
 */
import type { TypeCost } from "./measure.js";

/**
 * Maximum number of instantiations that one more tool may add. A function that infers the handler's types from two Zod
 * schemas, and does nothing else, takes 800.
 */
const INSTANTIATIONS_PER_TOOL = 1_400;

/** Largest ratio between the costs of a tool in a larger and in a smaller project. */
const MAX_GROWTH = 1;

/** Two projects of the same form, of which one has more tools. */
export interface CostPair {
  readonly small: Pick<TypeCost, "layout" | "tools" | "instantiations">;
  readonly large: Pick<TypeCost, "tools" | "instantiations">;
}

/** Returns the number of instantiations that each further tool adds. */
export function costPerTool({ small, large }: CostPair): number {
  return (large.instantiations - small.instantiations) / (large.tools - small.tools);
}

/** Checks that the cost is within the budget and at most linear. Returns the problems. */
export function checkBudget(pair: CostPair): readonly string[] {
  const { small, large } = pair;
  const perTool = Math.round(costPerTool(pair));
  const growth = large.instantiations / large.tools / (small.instantiations / small.tools);
  return [
    ...(perTool > INSTANTIATIONS_PER_TOOL
      ? [`${small.layout}: each tool adds ${perTool} instantiations (limit: ${INSTANTIATIONS_PER_TOOL}).`]
      : []),
    ...(growth > MAX_GROWTH
      ? [
          `${small.layout}: a tool takes ${growth.toFixed(2)} times as many instantiations in a project with ` +
            `${large.tools} tools as in one with ${small.tools} (limit: ${MAX_GROWTH}).`,
        ]
      : []),
  ];
}
