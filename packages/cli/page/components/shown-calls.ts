/**
 * @fileoverview Calls that the tabs of tools, resources, and prompts show.
 * @module cli/page-app/components/shown-calls
 */
import type { App } from "../app-context.js";
import type { Area } from "../routes/route.js";

/** Returns the key of an entry's call. */
export function shownKey(area: Area, id: string): string {
  return `${area}/${id}`;
}

/** Shows a call in the tab of its tool, resource, or prompt. */
export function showCall({ shownCalls }: Pick<App, "shownCalls">, key: string, id: string): void {
  shownCalls.value = new Map(shownCalls.peek()).set(key, id);
}
