/**
 * @fileoverview Windowed list with one selected item.
 * @module ui/components/collections/list
 */
import type { ComponentChildren } from "preact";
import { Rows } from "./rows.js";
import { useActiveKey } from "./use-active-key.js";

/** Properties of `List`. */
export interface ListProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  /** Returns a key that stays the same when items are added or removed. */
  readonly keyOf: (item: T) => string;
  readonly renderItem: (item: T) => ComponentChildren;
  readonly selectedKey?: string | undefined;
  /** Called for Enter, Space, and clicks. */
  readonly onSelect: (item: T) => void;
  /** Text that the user can type to find an item. */
  readonly textOf?: ((item: T) => string) | undefined;
  /** Height of an item in pixels. @default 28 */
  readonly rowHeight?: number | undefined;
  /** Shown if there are no items. */
  readonly empty?: ComponentChildren;
  readonly class?: string | undefined;
}

/** List of thousands of items, of which only the visible ones are rendered. Items must not contain controls. */
export function List<T>({ items, keyOf, selectedKey, onSelect, rowHeight = 28, ...props }: ListProps<T>) {
  const active = useActiveKey(selectedKey);
  if (items.length === 0 && props.empty !== undefined) return <>{props.empty}</>;
  return (
    <Rows
      kind="list"
      label={props.label}
      class={props.class}
      rows={items}
      rowHeight={rowHeight}
      keyOf={keyOf}
      textOf={props.textOf}
      activeIndex={active.indexIn((key) => items.findIndex((item) => keyOf(item) === key))}
      onActiveChange={(index) => {
        const item = items[index];
        if (item !== undefined) active.activate(keyOf(item));
      }}
      onActivate={onSelect}
      attributesOf={(item, index) => ({
        "aria-setsize": items.length,
        "aria-posinset": index + 1,
        "aria-selected": keyOf(item) === selectedKey,
      })}
      renderRow={props.renderItem}
    />
  );
}
