/**
 * @fileoverview List of names and values.
 * @module ui/components/data/key-value
 */
import type { ComponentChildren } from "preact";
import { classNames } from "../../support/class-names.js";

/** Name and value. */
export interface KeyValueEntry {
  readonly name: string;
  readonly value: ComponentChildren;
  /** True for data, such as IDs and headers. */
  readonly isMono?: boolean | undefined;
}

/** Properties of `KeyValueList`. */
export interface KeyValueListProps {
  readonly entries: readonly KeyValueEntry[];
  readonly class?: string | undefined;
}

/** List of facts in two columns, or in one on narrow screens. Names may occur more than once. */
export function KeyValueList({ entries, class: className }: KeyValueListProps) {
  return (
    <dl class={classNames("t-facts", className)}>
      {entries.map(({ name, value, isMono }, index) => (
        <div key={index} class="t-facts__entry">
          <dt>{name}</dt>
          <dd class={isMono === true ? "t-mono" : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
