/**
 * @fileoverview Derives the hints of a grouped tool from its actions. Clients must see the worst case.
 * @module grouped/strategies/annotation-aggregator
 */
import type { ToolHints } from "../../protocol/index.js";
import type { ActionFacts } from "../actions/action.js";

/** Hints that a builder sets explicitly. `undefined` means not set. */
export type ExplicitAnnotations = {
  readonly [Hint in keyof ToolHints]: ToolHints[Hint] | undefined;
} & { readonly returnDirect?: boolean | undefined };

/** Hints of a grouped tool. The three that are derived from its actions are always present. */
export interface AggregatedAnnotations extends ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly returnDirect?: boolean;
}

/** Derives the hints of a tool from its actions and its explicit hints. */
export type AnnotationAggregator = (
  actions: readonly ActionFacts[],
  explicit?: ExplicitAnnotations,
) => AggregatedAnnotations;

/** Copies explicit hints and derives the rest: destructive if any action is, the others only if all actions are. */
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
