/**
 * @fileoverview Message while something loads.
 * @module ui/components/layout/loading
 */
import { Spinner } from "../controls/spinner.js";

/** Spinner with a text, such as "Connecting…". */
export function Loading({ text }: { readonly text: string }) {
  return (
    <p class="t-loading" role="status">
      <Spinner /> {text}
    </p>
  );
}
