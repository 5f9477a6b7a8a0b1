/**
 * @fileoverview Views of the same data for callers with different scopes. Each view is built once.
 * @module tenon/core/snapshot/scoped-views
 */
import type { Auth } from "../wire/exchange.js";

/** Returns the view for a caller. Callers that hold the same of the relevant scopes share one view. */
export type ScopedViews<View> = (auth: Pick<Auth, "scopes">) => View;

/** Scopes that views depend on, and functions that create the views. */
export interface ScopedViewSource<View> {
  /** Scopes that make a difference. Other scopes of a caller are ignored. */
  readonly scopes: readonly string[];
  /** View for callers that hold all of the scopes. */
  readonly everything: View;
  /** Builds the view for callers that hold only some of the scopes. */
  readonly build: (held: Pick<Auth, "scopes">) => View;
}

/** Creates a function that returns a caller's view. Views are built on first use, and their number is limited. */
export function createScopedViews<View>(source: ScopedViewSource<View>): ScopedViews<View> {
  const { everything, build } = source;
  const scopes = [...new Set(source.scopes)].toSorted();
  const views = new Map<string, View>();
  return (auth) => {
    const held = scopes.filter((scope) => auth.scopes.includes(scope));
    if (held.length === scopes.length) return everything;
    const key = JSON.stringify(held);
    if (views.has(key)) return views.get(key) as View; // Safe: only `View` values are stored
    const view = build({ scopes: held });
    // The number of views is limited. An evicted view is rebuilt on its next use.
    if (views.size >= MAX_VIEWS) views.delete(views.keys().next().value ?? "");
    views.set(key, view);
    return view;
  };
}

const MAX_VIEWS = 64;
