/**
 * @fileoverview Hook that delays a value.
 * @module ui/support/use-debounced
 */
import { useEffect, useState } from "preact/hooks";
import { browserTimer } from "./timer.js";

/** Returns a value after it has not changed for some time, so that typing does not start expensive work at every key. */
export function useDebounced<T>(value: T, milliseconds = 120): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => browserTimer.after(milliseconds, () => setSettled(value)), [value, milliseconds]);
  return settled;
}
