/**
 * @fileoverview Hook that renders only the visible rows of a scrolling element.
 * @module ui/components/collections/use-window
 */
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLatest } from "../../support/use-latest.js";
import { type RowHeights, rowWindow, scrollToShow, type Viewport } from "./row-window.js";

/** Height before the element is measured. */
const ASSUMED_HEIGHT = 600;

/** Computes the visible rows of a scrolling element, and again when it scrolls or changes its size. */
export function useWindow<E extends HTMLElement>(heights: RowHeights) {
  const scrollerRef = useRef<E>(null);
  const [viewport, setViewport] = useState<Viewport>({ scrollTop: 0, height: ASSUMED_HEIGHT });
  const latest = useLatest(heights);

  const measure = useCallback(() => {
    const scroller = scrollerRef.current;
    if (scroller === null) return;
    setViewport((before) => {
      const now = { scrollTop: scroller.scrollTop, height: scroller.clientHeight };
      const isSame =
        before.height === now.height && firstRow(latest.current, before) === firstRow(latest.current, now);
      return isSame ? before : now;
    });
  }, []);

  useLayoutEffect(() => {
    measure();
    const scroller = scrollerRef.current;
    if (scroller === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, []);
  // Fewer rows can move the scroll position without a scroll event before the next paint.
  useLayoutEffect(measure, [heights.count]);

  const showRow = useCallback((index: number) => {
    const scroller = scrollerRef.current;
    if (scroller === null) return;
    const now = { scrollTop: scroller.scrollTop, height: scroller.clientHeight };
    scroller.scrollTop = scrollToShow(latest.current, index, now);
    measure();
  }, []);

  return {
    ...rowWindow(heights, viewport),
    /** Reference for the scrolling element. */
    scrollerRef,
    onScroll: measure,
    /** Scrolls until a row is visible. */
    showRow,
    /** Rows that fit into the visible part. */
    page: Math.max(1, Math.floor(viewport.height / heights.rowHeight) - 1),
  };
}

function firstRow({ rowHeight }: RowHeights, { scrollTop }: Viewport): number {
  return Math.floor(scrollTop / rowHeight);
}
