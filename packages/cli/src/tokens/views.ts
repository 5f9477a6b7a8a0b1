/**
 * @fileoverview Views of a server's tools: as clients see them, with one tool per action, or as a caller with certain
 * scopes sees them.
 * @module cli/tokens/views
 */
import type { TagFilter } from "tenon";
import type { JsonObject } from "@tenon/internal/json";

/** Selects tools, and the form in which they are counted. */
export interface ViewKey {
  /** `listed` counts what the server lists. `flat` counts each action of a grouped tool as a separate tool. */
  readonly form: ViewForm;
  /** Scopes of the caller. If omitted, the caller sees everything. */
  readonly scopes?: readonly string[];
  readonly filter?: TagFilter;
}

/** Form in which grouped tools are counted. */
export type ViewForm = "listed" | "flat";

/** View of a server that is listed as it is. */
export const AS_LISTED: ViewKey = { form: "listed" };

/** Definitions that a view contains. */
export interface View {
  readonly key: ViewKey;
  readonly tools: readonly JsonObject[];
}

/** Action of a grouped tool, with the definition that it would have as a separate tool. */
export interface ActionDefinition {
  /** Name, with its group: `refund` or `billing.refund`. */
  readonly name: string;
  readonly definition: JsonObject;
}

/** Definitions of a server, in all views to count. */
export interface Definitions {
  readonly server: JsonObject;
  readonly revision: string;
  readonly instructions: string | undefined;
  readonly prompts: readonly JsonObject[];
  /** View that the user selected. */
  readonly selected: View;
  /** Views for comparison, including the selected one. Empty unless the server is a module. */
  readonly views: readonly View[];
  /** Number of views that were left out, because there are too many. */
  readonly omittedViews: number;
  /** Actions by the name of their grouped tool. */
  readonly actions: ReadonlyMap<string, readonly ActionDefinition[]>;
}

/** Describes a view in a few words, such as `as listed, scope notes:read`. */
export function describeView({ form, scopes, filter = {} }: ViewKey): string {
  const { tags = [], anyTag = [], exclude = [] } = filter;
  return [
    form === "flat" ? "one tool per action" : "as listed",
    ...(scopes === undefined ? [] : [describeScopes(scopes)]),
    ...(tags.length === 0 ? [] : [`${tags.length === 1 ? "tag" : "tags"} ${tags.join(" and ")}`]),
    ...(anyTag.length === 0 ? [] : [`any tag of ${anyTag.join(", ")}`]),
    ...(exclude.length === 0 ? [] : [`without tag ${exclude.join(", ")}`]),
  ].join(", ");
}

function describeScopes(scopes: readonly string[]): string {
  if (scopes.length === 0) return "no scopes";
  return `${scopes.length === 1 ? "scope" : "scopes"} ${scopes.join(" and ")}`;
}
