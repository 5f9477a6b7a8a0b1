/**
 * @fileoverview Hooks that views share.
 * @module agent/page-app/components/hooks
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../app-context.js";

/** Shortest time between two renders of a text that streams. */
const MIN_MS = 50;
const MAX_MS = 1_000;
/** Share of the time that the page spends on a text that streams is 1 to this number. */
const SHARE = 5;

/**
 * Returns a text that changes less often than a text that streams. Parsing takes longer for long texts, so they change less
 * often. A text that does not stream is returned at once.
 */
export function useThrottled(text: string, isStreaming: boolean): string {
  const [shown, setShown] = useState(text);
  const latest = useRef(text);
  latest.current = text;
  const cost = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (!isStreaming || timer.current !== undefined) return;
    const delay = Math.min(MAX_MS, Math.max(MIN_MS, cost.current * SHARE));
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const start = performance.now();
      setShown(latest.current);
      // The render is done when the next task starts.
      setTimeout(() => {
        cost.current = performance.now() - start;
      }, 0);
    }, delay);
  }, [text, isStreaming]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return isStreaming ? shown : text;
}

/** Returns true while a request runs, and a function that waits for one. It resolves to false if the request fails. */
export function useRequest(): readonly [boolean, (request: () => Promise<unknown>) => Promise<boolean>] {
  const { attempt } = useApp();
  const [isBusy, setIsBusy] = useState(false);
  const run = async (request: () => Promise<unknown>) => {
    if (isBusy) return false;
    setIsBusy(true);
    const isDone = await attempt(request());
    setIsBusy(false);
    return isDone;
  };
  return [isBusy, run];
}

/** Returns the title of the selected conversation, or an empty text if it is not known. */
export function useTaskTitle(): string {
  const { task, link, router } = useApp();
  const { taskId } = router.route.value;
  const known = link.state.value.tasks.find((one) => one.taskId === taskId)?.title;
  return task.value?.title ?? known ?? "";
}

/** Returns true while the window matches a media query. */
export function useMedia(query: string): boolean {
  const [isMatch, setIsMatch] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = () => setIsMatch(list.matches);
    list.addEventListener("change", update);
    update();
    return () => list.removeEventListener("change", update);
  }, [query]);
  return isMatch;
}
