/**
 * @fileoverview Current place on the page.
 * @module agent/page-app/routes/router
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { formatRoute, parseRoute, type Route } from "./route.js";

/** Current place, and functions to change it. */
export interface Router {
  readonly route: ReadonlySignal<Route>;
  /** Goes to a place. The back button returns from it. */
  readonly go: (route: Route) => void;
  /** Goes to a place that replaces the current one in the history. */
  readonly replace: (route: Route) => void;
}

/** Parts of `Window` that the router needs. */
export type RouterWindow = Pick<Window, "addEventListener" | "history"> & {
  readonly location: Pick<Location, "hash">;
};

/** Creates the router of a page. */
export function createRouter(target: RouterWindow): Router {
  const route = signal(parseRoute(target.location.hash));
  const show = (next: Route) => {
    if (route.peek().taskId !== next.taskId) route.value = next;
  };
  target.addEventListener("hashchange", () => show(parseRoute(target.location.hash)));
  return {
    route,
    go(next) {
      if (route.peek().taskId === next.taskId) return;
      target.history.pushState(null, "", formatRoute(next));
      show(next);
    },
    replace(next) {
      target.history.replaceState(null, "", formatRoute(next));
      show(next);
    },
  };
}
