/**
 * @fileoverview Hooks that views share, and the call that each entry shows.
 * @module cli/page-app/components/hooks
 */
import type { Signal } from "@preact/signals";
import type { Shortcut } from "@tenon/ui/keys.js";
import { useLatest } from "@tenon/ui/support/use-latest.js";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CallSummary } from "../../src/page/protocol.js";
import { type App, useApp } from "../app-context.js";
import type { DetailState } from "../backend/call-details.js";
import type { Setting } from "../state/memory.js";
import type { Area } from "../routes/route.js";

/** Returns the signal of a setting that the page remembers. */
export function useSetting<T>(setting: Setting<T>): Signal<T> {
  return useApp().memory.signal(setting);
}

/** Adds a shortcut while a component is shown. */
export function useShortcut({ keys, title, group, run }: Shortcut): void {
  const { shortcuts } = useApp();
  const latest = useLatest(run);
  useEffect(
    () => shortcuts.add({ keys, title, group, run: () => latest.current() }),
    [shortcuts, keys, title, group],
  );
}

/** Call without and with its messages. */
export interface ShownCall extends DetailState {
  /** Absent if the call is not recorded anymore. */
  readonly summary: CallSummary | undefined;
}

/** Returns a call, and reads its messages when they change. */
export function useCall(id: string | undefined): ShownCall {
  const { store, details } = useApp();
  const summary = id === undefined ? undefined : store.calls.value.get(id);
  useEffect(() => {
    if (id !== undefined && summary !== undefined) details.load(id);
  }, [details, id, summary]);
  const state = id === undefined ? undefined : details.stateOf(id).value;
  return { summary, detail: state?.detail, message: state?.message };
}

/** Returns a reference for a search field, which the key `/` focuses. */
export function useSearchShortcut(title: string): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  useShortcut({
    keys: "/",
    title,
    group: "Lists",
    run: () => box.current?.querySelector("input")?.focus(),
  });
  return box;
}

/** Returns the key of an entry's call. */
export function shownKey(area: Area, id: string): string {
  return `${area}/${id}`;
}

/** Shows a call in the tab of its tool, resource, or prompt. */
export function showCall({ shownCalls }: Pick<App, "shownCalls">, key: string, id: string): void {
  shownCalls.value = new Map(shownCalls.peek()).set(key, id);
}
