/**
 * @fileoverview Tabs and their panel.
 * @module ui/components/navigation/tabs
 */
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId, useRef } from "preact/hooks";
import { Icon } from "../../icons/icon.js";
import type { IconName } from "../../icons/shapes.js";
import { classNames } from "../../support/class-names.js";
import { moveByKey } from "../collections/navigation-keys.js";

/** Tab. */
export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconName | undefined;
  /** Short fact after the label, such as a badge with a count. */
  readonly badge?: ComponentChildren;
}

/** Properties of `Tabs`. */
export interface TabsProps {
  /** Name of the group for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selectedId: string;
  readonly onSelect: (id: string) => void;
  /** Content of the selected tab. */
  readonly children: ComponentChildren;
  readonly class?: string | undefined;
}

/** Tabs with one focusable tab. The arrow keys, Home, and End select another one. */
export function Tabs({ label, tabs, selectedId, onSelect, children, class: className }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const index = tabs.findIndex((tab) => tab.id === selectedId);
    const next = moveByKey(VERTICAL_KEYS.get(event.key) ?? "", {
      index,
      count: tabs.length,
      isCircular: true,
    });
    const tab = next === undefined ? undefined : tabs[next];
    if (tab === undefined || next === undefined) return;
    event.preventDefault();
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div class={classNames("t-tabs", className)}>
      <div class="t-tabs__list" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-tab-${tab.id}`}
            class="t-tab"
            aria-selected={tab.id === selectedId}
            aria-controls={tab.id === selectedId ? `${id}-panel` : undefined}
            tabIndex={tab.id === selectedId ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.icon !== undefined && <Icon name={tab.icon} />}
            <span>{tab.label}</span>
            {tab.badge}
          </button>
        ))}
      </div>
      <div
        class="t-tabs__panel"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${selectedId}`}
        tabIndex={0}
      >
        {children}
      </div>
    </div>
  );
}

/** Properties of `Segments`. */
export interface SegmentsProps {
  readonly label: string;
  readonly options: readonly { readonly id: string; readonly label: string }[];
  readonly selectedId: string;
  readonly onSelect: (id: string) => void;
}

/** Small switch between a few views of the same thing. */
export function Segments({ label, options, selectedId, onSelect }: SegmentsProps) {
  const name = useId();
  return (
    <fieldset class="t-segments">
      <legend class="t-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.id} class="t-segment">
          <input
            type="radio"
            class="t-hidden"
            name={name}
            checked={option.id === selectedId}
            onChange={() => onSelect(option.id)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Keys of a vertical list by the keys of a horizontal one. */
const VERTICAL_KEYS: ReadonlyMap<string, string> = new Map([
  ["ArrowRight", "ArrowDown"],
  ["ArrowLeft", "ArrowUp"],
  ["Home", "Home"],
  ["End", "End"],
]);
