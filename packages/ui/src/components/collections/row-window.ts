/**
 * @fileoverview Finds the rows of a long list that are visible. Rows have the same height, except a few that are taller.
 * @module ui/components/collections/row-window
 */

/** Additional height of one row. */
export interface TallRow {
  readonly index: number;
  /** Height in pixels that is added to the height of a row. */
  readonly extra: number;
}

/** Heights of the rows of a list. */
export interface RowHeights {
  readonly count: number;
  readonly rowHeight: number;
  /** Rows that are taller, ordered by index. */
  readonly tallRows?: readonly TallRow[] | undefined;
}

/** Visible part of a list, in pixels. */
export interface Viewport {
  readonly scrollTop: number;
  readonly height: number;
}

/** Rows that are rendered before and after the visible ones, so that scrolling does not show gaps. */
const OVERSCAN = 8;

/** Returns the rows to render for a viewport, and the height of the rows before and after them. `end` follows the last row. */
export function rowWindow(heights: RowHeights, { scrollTop, height }: Viewport) {
  const { count } = heights;
  const top = Math.max(0, scrollTop);
  const start = clamp(rowAt(heights, top) - OVERSCAN, 0, count);
  const end = clamp(rowAt(heights, top + Math.max(0, height)) + 1 + OVERSCAN, start, count);
  return { start, end, before: topOf(heights, start), after: topOf(heights, count) - topOf(heights, end) };
}

/** Returns the distance between the top of the list and the top of a row. */
export function topOf({ rowHeight, tallRows = [] }: RowHeights, index: number): number {
  let top = index * rowHeight;
  for (const row of tallRows) {
    if (row.index >= index) break;
    top += row.extra;
  }
  return top;
}

/** Returns the index of the row at a distance from the top. Not limited to the number of rows. */
export function rowAt({ rowHeight, tallRows = [] }: RowHeights, distance: number): number {
  let shift = 0;
  for (const row of tallRows) {
    const top = row.index * rowHeight + shift;
    if (distance < top) break;
    if (distance < top + rowHeight + row.extra) return row.index;
    shift += row.extra;
  }
  return Math.floor((distance - shift) / rowHeight);
}

/** Returns the scroll position that shows a row with the least movement. */
export function scrollToShow(heights: RowHeights, index: number, { scrollTop, height }: Viewport): number {
  const top = topOf(heights, index);
  const bottom = topOf(heights, index + 1);
  if (top < scrollTop) return top;
  return bottom > scrollTop + height ? Math.max(0, Math.min(top, bottom - height)) : scrollTop;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
