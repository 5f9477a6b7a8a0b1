/**
 * @fileoverview Hook that delays a value.
 * @module ui/support/use-debounced
 */
import { useEffect, useState } from "preact/hooks";

/** Returns a value after it has not changed for some time, so that typing does not start expensive work at every key. */
export function useDebounced<T>(value: T, milliseconds = 120): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
