/**
 * @fileoverview Spinner.
 * @module ui/components/controls/spinner
 */

/** Properties of `Spinner`. */
export interface SpinnerProps {
  /** Text for screen readers. Without one, they skip the spinner, because the text next to it says the same. */
  readonly label?: string | undefined;
}

/** Shows that something runs and its progress is not known. */
export function Spinner({ label }: SpinnerProps) {
  return label === undefined ? (
    <span class="t-spinner" aria-hidden="true" />
  ) : (
    <span class="t-spinner" role="img" aria-label={label} />
  );
}
