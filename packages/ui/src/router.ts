/**
 * @fileoverview Current place on a page, as the hash of its URL. Reloading and the back button keep the place.
 * @module ui/router
 */
import { type ReadonlySignal, signal } from "@preact/signals";

/** Current place, and functions to change it. */
export interface Router<Route> {
  readonly route: ReadonlySignal<Route>;
  /** Goes to a place. The back button returns from it. */
  readonly go: (route: Route) => void;
  /** Goes to a place that replaces the current one in the history. */
  readonly replace: (route: Route) => void;
}

/** Places of a page. */
export interface Routes<Route> {
  /** Reads a hash. */
  readonly parseRoute: (hash: string) => Route;
  /** Returns the hash of a place. */
  readonly formatRoute: (route: Route) => string;
}

/** Parts of `Window` that the router needs. */
export type RouterWindow = Pick<Window, "addEventListener" | "history"> & {
  readonly location: Pick<Location, "hash">;
};

/** Creates the router of a page. */
export function createRouter<Route>(
  target: RouterWindow,
  { parseRoute, formatRoute }: Routes<Route>,
): Router<Route> {
  const route = signal(parseRoute(target.location.hash));
  const isShown = (place: Route) => formatRoute(route.peek()) === formatRoute(place);
  const show = (next: Route) => {
    if (!isShown(next)) route.value = next;
  };
  target.addEventListener("hashchange", () => show(parseRoute(target.location.hash)));
  return {
    route,
    go(next) {
      if (isShown(next)) return;
      target.history.pushState(null, "", formatRoute(next));
      show(next);
    },
    replace(next) {
      target.history.replaceState(null, "", formatRoute(next));
      show(next);
    },
  };
}
