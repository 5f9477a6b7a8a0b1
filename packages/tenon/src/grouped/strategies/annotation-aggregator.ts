/**
 * @fileoverview The hints of a grouped tool from those of its actions: clients must be told the worst case.
 * @module grouped/strategies/annotation-aggregator
 */
import type { ToolHints } from "../../protocol/index.js";
import type { ActionFacts } from "../actions/action.js";

/** Hints that a builder sets by hand. `undefined` is not set. */
export type ExplicitAnnotations = {
  readonly [Hint in keyof ToolHints]: ToolHints[Hint] | undefined;
} & { readonly returnDirect?: boolean | undefined };

/** The hints of a grouped tool; the three that follow from its actions are always there. */
export interface AggregatedAnnotations extends ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly returnDirect?: boolean;
}

/** Gives the hints of a tool from its actions and what was set by hand. */
export type AnnotationAggregator = (
  actions: readonly ActionFacts[],
  explicit?: ExplicitAnnotations,
) => AggregatedAnnotations;

/** Copies what was set by hand, then fills the rest: destructive if any action is, the others only if all are. */
export function aggregateAnnotations(
  actions: readonly ActionFacts[],
  explicit: ExplicitAnnotations = {},
): AggregatedAnnotations {
  const set = Object.fromEntries(Object.entries(explicit).filter(([, value]) => value !== undefined));
  const all = (has: (action: ActionFacts) => boolean) => actions.length > 0 && actions.every(has);
  return {
    readOnlyHint: all(({ readOnly }) => readOnly),
    destructiveHint: actions.some(({ destructive }) => destructive),
    idempotentHint: all(({ idempotent }) => idempotent),
    ...set,
  };
}
