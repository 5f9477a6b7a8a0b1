/**
 * @fileoverview Reads resources, and subscribes to their changes.
 * @module cli/page-app/views/resources/use-resource
 */
import { useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { type ShownCall, useCall } from "../../components/hooks.js";
import { showCall, shownKey } from "../../components/shown-calls.js";

/** State of a resource on the page. */
export interface ResourceReading {
  readonly shown: ShownCall;
  readonly isStarting: boolean;
  readonly read: (uri: string) => void;
}

/** Reads a resource. The key identifies the entry whose result is shown. */
export function useReading(key: string): ResourceReading {
  const app = useApp();
  const [isStarting, setIsStarting] = useState(false);
  const shown = useCall(app.shownCalls.value.get(shownKey("resources", key)));
  const read = async (uri: string) => {
    setIsStarting(true);
    const started = await app.attempt("read", { uri, era: app.era.peek() });
    setIsStarting(false);
    if (started !== undefined) showCall(app, shownKey("resources", key), started.id);
  };
  return { shown, isStarting, read: (uri) => void read(uri) };
}

/** Returns true if a resource has changed after it was read. */
export function useIsUpdated(uri: string): boolean {
  const { store, shownCalls } = useApp();
  const at = store.updates.value.get(uri);
  if (at === undefined) return false;
  const id = shownCalls.value.get(shownKey("resources", uri));
  const readAt = id === undefined ? 0 : (store.calls.value.get(id)?.at ?? 0);
  return at > readAt;
}

/** Returns the subscription to a resource, and a function that changes it. */
export function useSubscription(uri: string): {
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
} {
  const { store, attempt } = useApp();
  const isOn = store.subscriptions.value.includes(uri);
  return { isOn, set: (isNext) => void attempt("subscribe", { uri, isOn: isNext }) };
}
