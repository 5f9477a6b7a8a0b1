/**
 * @fileoverview Keyboard navigation in lists, trees, menus, and tabs.
 * @module ui/components/collections/navigation-keys
 */

/** Position in a list. */
export interface ListPosition {
  /** Index of the active row, or -1. */
  readonly index: number;
  readonly count: number;
  /** Rows per page. @default 10 */
  readonly page?: number | undefined;
  /** True if the row after the last one is the first one. */
  readonly isCircular?: boolean | undefined;
}

/** Returns the index to which a key moves, or `undefined` if the key does not move. */
export function moveByKey(key: string, position: ListPosition): number | undefined {
  const { index, count, page = 10, isCircular = false } = position;
  const last = count - 1;
  if (last < 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return index === last && isCircular ? 0 : Math.min(last, index + 1);
    case "ArrowUp":
      if (index <= 0) return isCircular || index < 0 ? last : 0;
      return index - 1;
    case "PageDown":
      return Math.min(last, Math.max(0, index) + page);
    case "PageUp":
      return Math.max(0, index - page);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}

/** Key press in a list. */
export interface TypeAheadKey {
  readonly key: string;
  /** Time of the key press in milliseconds. */
  readonly at: number;
  /** Index of the active row. */
  readonly index: number;
  readonly count: number;
  readonly textAt: (index: number) => string;
}

const PAUSE_MS = 700;

/** Creates a search by typed letters. A pause starts a new search, and repeating one letter goes to the next row with it. */
export function createTypeAhead() {
  let typed = "";
  let last = Number.NEGATIVE_INFINITY;
  return {
    /** Returns the index of the row that starts with the typed letters, or `undefined`. */
    find: ({ key, at, index, count, textAt }: TypeAheadKey): number | undefined => {
      const isNew = at - last > PAUSE_MS;
      // A space starts no search, because it activates the row.
      if (!/^.$/su.test(key) || (key === " " && isNew)) return undefined;
      typed = isNew ? key.toLowerCase() : typed + key.toLowerCase();
      last = at;
      const [letter = ""] = typed;
      const isRepeated = Array.from(typed).every((one) => one === letter);
      const prefix = isRepeated ? letter : typed;
      // A new letter searches after the active row. More letters may still match it.
      const first = isRepeated ? index + 1 : Math.max(0, index);
      for (let step = 0; step < count; step++) {
        const candidate = (first + step) % count;
        if (textAt(candidate).toLowerCase().startsWith(prefix)) return candidate;
      }
      return undefined;
    },
  };
}
