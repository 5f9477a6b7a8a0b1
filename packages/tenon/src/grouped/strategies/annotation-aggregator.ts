/**
 * @fileoverview Derives a grouped tool's hints from its actions. Clients must see the worst case.
 * @module tenon/grouped/strategies/annotation-aggregator
 */
import { withoutUndefined } from "@tenon/internal/json";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { flag, text } from "@tenon/internal/options/option-rows";
import type { ToolHints } from "../../protocol/index.js";
import type { ActionFacts } from "../actions/action.js";

/** Hints that a builder can set. */
export const HINT_OPTIONS = /* @__PURE__ */ defineOptions("annotations", {
  /** Name of the tool for people. */
  title: text({ allowEmpty: true }),
  /** True if the tool changes nothing. */
  readOnlyHint: flag({ aliases: ["readOnly"] }),
  /** True if the tool can destroy data. */
  destructiveHint: flag({ aliases: ["destructive"] }),
  /** True if repeating a call has no further effect. */
  idempotentHint: flag({ aliases: ["idempotent"] }),
  /** True if the tool reaches systems outside of this server. */
  openWorldHint: flag({ aliases: ["openWorld"] }),
  /** True if clients should show the result without passing it to the model. */
  returnDirect: flag(),
});

/** Hints that a builder sets explicitly. `undefined` means not set. */
export interface ExplicitAnnotations extends OptionsOf<typeof HINT_OPTIONS> {}

/** Grouped tool hints. The three hints that are derived from the actions are always present. */
export interface AggregatedAnnotations extends ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly returnDirect?: boolean;
}

/** Derives a tool's hints from its actions. Explicit hints take precedence. */
export type AnnotationAggregator = (
  actions: readonly ActionFacts[],
  explicit?: ExplicitAnnotations,
) => AggregatedAnnotations;

/** Keeps explicit hints. A tool is destructive if any action is, and read-only or idempotent only if all are. */
export function aggregateAnnotations(
  actions: readonly ActionFacts[],
  explicit: ExplicitAnnotations = {},
): AggregatedAnnotations {
  const all = (has: (action: ActionFacts) => boolean) => actions.length > 0 && actions.every(has);
  return {
    readOnlyHint: all(({ readOnly }) => readOnly),
    destructiveHint: actions.some(({ destructive }) => destructive),
    idempotentHint: all(({ idempotent }) => idempotent),
    ...withoutUndefined(explicit),
  };
}
