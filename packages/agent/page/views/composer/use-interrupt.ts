/**
 * @fileoverview Stops the shown conversation, with a button or with Escape.
 * @module agent/page-app/views/composer/use-interrupt
 */
import { useLatest } from "@tenon/ui/support/use-latest.js";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";

/** State of the shown run, and a function that stops it. */
export type Interrupt = ReturnType<typeof useInterrupt>;

/** Returns the state of the shown run. Escape stops it, except if it closes something else. */
export function useInterrupt() {
  const { task, link, attempt } = useApp();
  const shown = task.value;
  const isRunning = shown?.isRunning === true;
  const [stopping, setStopping] = useState<string>();
  useEffect(() => {
    if (!isRunning) setStopping(undefined);
  }, [isRunning, shown?.taskId]);
  const interrupt = () => {
    if (shown === undefined || !isRunning || stopping === shown.taskId) return;
    setStopping(shown.taskId);
    void attempt(link.client.interrupt(shown.taskId)).then((isDone) => {
      if (!isDone) setStopping(undefined);
    });
  };
  const latest = useLatest(interrupt);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && mayInterrupt(event)) latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return { isRunning, isStopping: stopping !== undefined && stopping === shown?.taskId, interrupt };
}

/** Returns false if Escape closes a dialog, a menu, or the list, or ends the input of a word or a search. */
function mayInterrupt(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat) return false;
  const isElsewhere =
    event.target instanceof HTMLElement &&
    event.target.matches("input, select, textarea:not(#composer), [contenteditable]");
  const isCovered = document.querySelector("dialog[open], [popover]:popover-open, .a-shade") !== null;
  return !isElsewhere && !isCovered;
}
