/**
 * @fileoverview Icon.
 * @module ui/icons/icon
 */
import { ICON_SHAPES, type IconName } from "./shapes.js";

/** Properties of `Icon`. */
export interface IconProps {
  readonly name: IconName;
  /** Text for screen readers. Without one, they skip the icon, because the text next to it says the same. */
  readonly label?: string | undefined;
}

/** Draws an icon in the color of the text around it. */
export function Icon({ name, label }: IconProps) {
  const naming =
    label === undefined ? { "aria-hidden": "true" as const } : { role: "img" as const, "aria-label": label };
  return (
    <svg class="t-icon" viewBox="0 0 16 16" {...naming}>
      <path d={ICON_SHAPES[name]} />
    </svg>
  );
}
