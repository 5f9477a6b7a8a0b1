/**
 * @fileoverview Link to the content of the page.
 * @module ui/components/layout/skip-link
 */
import type { ComponentChildren } from "preact";
import { insteadOfDefault } from "../../support/events.js";

/** Properties of `SkipLink`. */
export interface SkipLinkProps {
  readonly children: ComponentChildren;
  /** True while something covers the content. */
  readonly isInert?: boolean | undefined;
}

/** Link that moves the focus to the element `main`. Visible only while it has the focus. */
export function SkipLink({ children, isInert }: SkipLinkProps) {
  return (
    <a
      class="t-skip"
      href="#main"
      inert={isInert}
      onClick={insteadOfDefault(() => document.getElementById("main")?.focus())}
    >
      {children}
    </a>
  );
}
