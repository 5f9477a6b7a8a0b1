/**
 * @fileoverview Part of a conversation that is closed at first.
 * @module agent/page-app/components/fold
 */
import { Icon } from "@tenon/ui/icons/icon.js";
import type { IconName } from "@tenon/ui/icons/shapes.js";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** Properties of `Fold`. */
export interface FoldProps {
  readonly class: string;
  readonly icon: IconName;
  readonly summary: string;
  /** True while the content changes. */
  readonly isLive?: boolean | undefined;
  /** Renders the content. It is called only while the part is open. */
  readonly children: () => ComponentChildren;
}

/** Part that is closed at first. Its content is rendered only while it is open. */
export function Fold({ class: className, icon, summary, isLive, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class={className} data-live={isLive} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <Icon name={icon} />
        <span>{summary}</span>
        <Icon name="chevron-right" />
      </summary>
      {isOpen && <div class={`${className}__text`}>{children()}</div>}
    </details>
  );
}
