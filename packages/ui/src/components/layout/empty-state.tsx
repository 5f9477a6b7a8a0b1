/**
 * @fileoverview Message for an empty list or panel.
 * @module ui/components/layout/empty-state
 */
import type { ComponentChildren } from "preact";
import { Icon } from "../../icons/icon.js";
import type { IconName } from "../../icons/shapes.js";

/** Properties of `EmptyState`. */
export interface EmptyStateProps {
  readonly title: string;
  readonly icon?: IconName | undefined;
  /** Explanation, and what the user can do. */
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** Explains why there is nothing to see, and what to do. */
export function EmptyState({ title, icon, children, actions }: EmptyStateProps) {
  return (
    <div class="t-empty">
      {icon !== undefined && <Icon name={icon} />}
      <p class="t-empty__title">{title}</p>
      {children !== undefined && <div class="t-empty__text">{children}</div>}
      {actions !== undefined && <div class="t-empty__actions">{actions}</div>}
    </div>
  );
}
