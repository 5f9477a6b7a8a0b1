/**
 * @fileoverview Button that changes the theme of the page.
 * @module ui/components/controls/theme-button
 */
import type { Theme } from "../../theme.js";
import { IconButton } from "./button.js";

const ICONS = { system: "system", light: "sun", dark: "moon" } as const;

/** Button with the icon of the selected theme. A click selects the next one. */
export function ThemeButton({ theme }: { readonly theme: Theme }) {
  const preference = theme.preference.value;
  return (
    <IconButton icon={ICONS[preference]} label={`Theme: ${preference}. Change it`} onClick={theme.toggle} />
  );
}
