/**
 * @fileoverview Windowed rows with keyboard navigation. The list, the tree, and the JSON tree consist of them.
 *
 * The scrolling element has the focus, and `aria-activedescendant` names the active row. So the focus survives when a row
 * leaves the window.
 * @module ui/components/collections/rows
 */
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId, useLayoutEffect, useMemo } from "preact/hooks";
import { classNames } from "../../support/class-names.js";
import { createTypeAhead, moveByKey } from "./navigation-keys.js";
import type { TallRow } from "./row-window.js";
import { useWindow } from "./use-window.js";

/** Attributes of a row. */
export interface RowAttributes {
  readonly "aria-setsize": number;
  readonly "aria-posinset": number;
  readonly "aria-selected"?: boolean | undefined;
  readonly "aria-level"?: number | undefined;
  readonly "aria-expanded"?: boolean | undefined;
  readonly class?: string | undefined;
}

/** Properties of `Rows`. */
export interface RowsProps<T> {
  readonly kind: "list" | "tree";
  readonly label: string;
  readonly rows: readonly T[];
  /** Height of a row in pixels. */
  readonly rowHeight: number;
  readonly tallRows?: readonly TallRow[] | undefined;
  readonly keyOf: (row: T, index: number) => string;
  /** Text that the user can type to find a row. */
  readonly textOf?: ((row: T) => string) | undefined;
  readonly attributesOf: (row: T, index: number) => RowAttributes;
  readonly renderRow: (row: T, index: number) => ComponentChildren;
  /** Index of the active row, or -1. */
  readonly activeIndex: number;
  readonly onActiveChange: (index: number) => void;
  /** Called for Enter, Space, and clicks. */
  readonly onActivate: (row: T, index: number) => void;
  /** Handles other keys. Returns true if the key is handled. */
  readonly onKey?: ((event: KeyboardEvent, row: T, index: number) => boolean) | undefined;
  /** ID of the element that describes the keys. */
  readonly describedBy?: string | undefined;
  readonly class?: string | undefined;
}

/** Renders the visible rows. */
export function Rows<T>(props: RowsProps<T>) {
  const { rows, rowHeight, tallRows, activeIndex, kind } = props;
  const id = useId();
  const view = useWindow<HTMLDivElement>({ count: rows.length, rowHeight, tallRows });
  const onKeyDown = useRowKeys(props, view.page);
  // Moving by key shows the row. Rows that change around it do not scroll.
  useLayoutEffect(() => {
    if (activeIndex >= 0) view.showRow(activeIndex);
  }, [activeIndex >= 0 ? keyAt(props, activeIndex) : undefined]);

  const isActiveShown = activeIndex >= view.start && activeIndex < view.end;
  return (
    <div
      ref={view.scrollerRef}
      class={classNames("t-rows", props.class)}
      style={{ "--t-row": `${rowHeight}px` }}
      role={kind === "list" ? "listbox" : "tree"}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-activedescendant={isActiveShown ? `${id}-${activeIndex}` : undefined}
      tabIndex={0}
      onScroll={view.onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ paddingTop: `${view.before}px`, paddingBottom: `${view.after}px` }}>
        {rows.slice(view.start, view.end).map((row, offset) => {
          const index = view.start + offset;
          const { class: rowClass, ...attributes } = props.attributesOf(row, index);
          return (
            <div
              key={props.keyOf(row, index)}
              id={`${id}-${index}`}
              class={classNames("t-row", rowClass)}
              role={kind === "list" ? "option" : "treeitem"}
              data-active={index === activeIndex}
              onClick={() => {
                props.onActiveChange(index);
                props.onActivate(row, index);
              }}
              {...attributes}
            >
              {props.renderRow(row, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function useRowKeys<T>(props: RowsProps<T>, page: number) {
  const typeAhead = useMemo(createTypeAhead, []);
  const { rows, activeIndex: index, textOf } = props;
  return (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    // Buttons inside rows handle their own keys.
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[index];
    const moved = moveByKey(event.key, { index, count: rows.length, page });
    if (row !== undefined && props.onKey?.(event, row, index) === true) {
      event.preventDefault();
    } else if (moved !== undefined) {
      event.preventDefault();
      props.onActiveChange(moved);
    } else if (row !== undefined && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      props.onActivate(row, index);
    } else if (textOf !== undefined) {
      const textAt = (position: number) =>
        rows
          .slice(position, position + 1)
          .map((one) => textOf(one))
          .join("");
      const { key, timeStamp: at } = event;
      const found = typeAhead.find({ key, at, index, count: rows.length, textAt });
      // Keys that find no row stay available for shortcuts of the page.
      if (found === undefined) return;
      event.preventDefault();
      props.onActiveChange(found);
    }
  };
}

function keyAt<T>({ rows, keyOf }: RowsProps<T>, index: number): string | undefined {
  const row = rows[index];
  return row === undefined ? undefined : keyOf(row, index);
}
