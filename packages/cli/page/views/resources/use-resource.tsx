/**
 * @fileoverview Reads resources, and subscribes to their changes.
 * @module cli/page-app/views/resources/use-resource
 */
import { useApp } from "../../app-context.js";
import { EntryResult, useEntryCall } from "../call/catalog-entry.js";
import type { ShownCall } from "../../components/hooks.js";
import { shownKey } from "../../components/shown-calls.js";

/** State of a resource on the page. */
export interface ResourceReading {
  readonly shown: ShownCall;
  readonly isStarting: boolean;
  readonly read: (uri: string) => void;
}

/** Reads a resource. The key identifies the entry whose result is shown. */
export function useReading(key: string): ResourceReading {
  const { era } = useApp();
  const { shown, isStarting, start } = useEntryCall("resources", key);
  return { shown, isStarting, read: (uri) => void start("read", { uri, era: era.peek() }) };
}

/** Contents of a resource, with a link to the call. */
export function ReadingResult({ shown }: Pick<ResourceReading, "shown">) {
  return (
    <EntryResult
      shown={shown}
      title="Contents"
      icon="file"
      emptyTitle="Not read yet"
      emptyText="Read the resource to see its contents."
    />
  );
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
