/**
 * @fileoverview Hook for values that callbacks read later.
 * @module ui/support/use-latest
 */
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";

/** Returns a reference to the value of the last render. Listeners that are registered once read current values with it. */
export function useLatest<T>(value: T): RefObject<T> {
  const ref = useRef(value);
  ref.current = value;
  return ref;
}
