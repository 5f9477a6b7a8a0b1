/**
 * @fileoverview JSON that is closed until the user opens it.
 * @module cli/page-app/components/json-details
 */
import { JsonView } from "@tenon/ui/json/json-view.js";

/** Properties of `JsonDetails`. */
export interface JsonDetailsProps {
  /** Visible title, such as "Definition as JSON". */
  readonly title: string;
  /** Name of the tree for screen readers. */
  readonly label: string;
  readonly value: unknown;
}

/** JSON below a title. A click on the title shows it. */
export function JsonDetails({ title, label, value }: JsonDetailsProps) {
  return (
    <details class="p-details">
      <summary>{title}</summary>
      <JsonView label={label} value={value} />
    </details>
  );
}
