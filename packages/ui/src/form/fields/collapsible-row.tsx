/**
 * @fileoverview Frame of a field that contains other fields.
 * @module ui/form/fields/collapsible-row
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { IconButton } from "../../components/controls/button.js";
import type { FieldViewProps } from "../form-context.js";
import { FieldRow } from "./field-row.js";

/** Properties of `CollapsibleRow`. */
export interface CollapsibleRowProps extends FieldViewProps {
  readonly children: () => ComponentChildren;
}

/** Field row whose content can be hidden. The content stays on the page, so that links to its fields can show it again. */
export function CollapsibleRow({ children, actions, ...props }: CollapsibleRowProps) {
  const [isCollapsed, setIsCollapsed] = useState(false);
  return (
    <FieldRow
      {...props}
      isGroup
      actions={
        <>
          {actions}
          <IconButton
            class="t-form-field__fold"
            icon={isCollapsed ? "chevron-right" : "chevron-down"}
            label={isCollapsed ? `Show ${props.label}` : `Hide ${props.label}`}
            onClick={() => setIsCollapsed(!isCollapsed)}
          />
        </>
      }
    >
      {() => (
        <div
          class="t-form-group"
          hidden={isCollapsed}
          // Sent by links in the summary of problems.
          onFocusIn={() => setIsCollapsed(false)}
        >
          {children()}
        </div>
      )}
    </FieldRow>
  );
}
