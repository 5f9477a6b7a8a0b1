/**
 * @fileoverview Hook for the active row of a list or tree with one selected row.
 * @module ui/components/collections/use-active-key
 */
import { useState } from "preact/hooks";

/** Active row: the one to which the user has moved, together with the selected row at that time. */
export interface ActiveKey {
  readonly key: string | undefined;
  readonly selected: string | undefined;
}

/**
 * Returns the index of the active row, or -1. A row that is selected after the last move becomes active, so that a
 * selection from elsewhere is shown. A row that does not exist is skipped.
 */
export function activeIndexOf(
  active: ActiveKey,
  selected: string | undefined,
  indexOf: (key: string) => number,
): number {
  const keys = active.selected === selected ? [active.key, selected] : [selected, active.key];
  for (const key of keys) {
    const index = key === undefined ? -1 : indexOf(key);
    if (index !== -1) return index;
  }
  return -1;
}

/** Keeps the active row. */
export function useActiveKey(selected: string | undefined) {
  const [active, setActive] = useState<ActiveKey>({ key: selected, selected });
  return {
    indexIn: (indexOf: (key: string) => number) => activeIndexOf(active, selected, indexOf),
    activate: (key: string | undefined) => {
      if (key !== undefined) setActive({ key, selected });
    },
  };
}
