/**
 * @fileoverview Badges, and the icons and colors of severities.
 * @module ui/components/controls/badge
 */
import type { ComponentChildren } from "preact";
import { Icon } from "../../icons/icon.js";
import type { IconName } from "../../icons/shapes.js";

/** Meaning of a badge, a note, or a toast. */
export type Tone = "neutral" | "accent" | "info" | "success" | "warning" | "danger";

/** Icon of each tone, so that tones differ by more than their color. */
export const TONE_ICONS: Readonly<Record<Tone, IconName>> = {
  neutral: "dot",
  accent: "dot",
  info: "info",
  success: "success",
  warning: "warning",
  danger: "error",
};

/** Properties of `Badge`. */
export interface BadgeProps {
  readonly children: ComponentChildren;
  /** @default "neutral" */
  readonly tone?: Tone | undefined;
  /** Icon, or `true` for the icon of the tone. */
  readonly icon?: IconName | boolean | undefined;
  /** Longer text, as a tooltip. */
  readonly title?: string | undefined;
}

/** Short fact next to a name, such as a count or a state. */
export function Badge({ children, tone = "neutral", icon = false, title }: BadgeProps) {
  const name = icon === true ? TONE_ICONS[tone] : icon;
  return (
    <span class="t-badge" data-tone={tone} title={title}>
      {name !== false && <Icon name={name} />}
      <span>{children}</span>
    </span>
  );
}

/** Properties of `Note`. */
export interface NoteProps {
  readonly children: ComponentChildren;
  /** @default "info" */
  readonly tone?: Tone | undefined;
  /** True if screen readers announce the note when it appears. */
  readonly isLive?: boolean | undefined;
}

/** Message inside the content, such as an error or the reason why something is cut. */
export function Note({ children, tone = "info", isLive = false }: NoteProps) {
  return (
    <div class="t-note" data-tone={tone} role={isLive ? (tone === "danger" ? "alert" : "status") : undefined}>
      <Icon name={TONE_ICONS[tone]} />
      <div class="t-note__text">{children}</div>
    </div>
  );
}
