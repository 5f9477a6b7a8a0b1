/**
 * @fileoverview Buttons with a text, and buttons with only an icon.
 * @module ui/components/controls/button
 */
import type { ComponentChildren, Ref, TargetedMouseEvent } from "preact";
import { Icon } from "../../icons/icon.js";
import type { IconName } from "../../icons/shapes.js";
import { classNames } from "../../support/class-names.js";
import { Spinner } from "./spinner.js";

/** Properties that both kinds of buttons share. */
export interface ButtonBaseProps {
  readonly onClick?: ((event: TargetedMouseEvent<HTMLButtonElement>) => void) | undefined;
  readonly type?: "button" | "submit" | undefined;
  readonly isDisabled?: boolean | undefined;
  /** State of a toggle. Absent for buttons that are not toggles. */
  readonly isPressed?: boolean | undefined;
  readonly tabIndex?: number | undefined;
  readonly class?: string | undefined;
  readonly buttonRef?: Ref<HTMLButtonElement> | undefined;
}

/** Properties of `Button`. */
export interface ButtonProps extends ButtonBaseProps {
  readonly children: ComponentChildren;
  readonly icon?: IconName | undefined;
  /** @default "default" */
  readonly tone?: "default" | "primary" | "danger" | "quiet" | undefined;
  /** True while the action runs. The button keeps the focus, and clicks have no effect. */
  readonly isBusy?: boolean | undefined;
}

/** Button with a text. */
export function Button({ children, icon, tone = "default", isBusy = false, ...base }: ButtonProps) {
  return (
    <button
      {...attributesOf(base)}
      class={classNames("t-button", base.class)}
      data-tone={tone}
      aria-disabled={isBusy ? "true" : undefined}
      onClick={isBusy ? (event) => event.preventDefault() : base.onClick}
    >
      {isBusy ? <Spinner /> : icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** Properties of `IconButton`. */
export interface IconButtonProps extends ButtonBaseProps {
  readonly icon: IconName;
  /** Name of the action, for screen readers and as a tooltip. */
  readonly label: string;
}

/** Button with only an icon. */
export function IconButton({ icon, label, ...base }: IconButtonProps) {
  return (
    <button
      {...attributesOf(base)}
      class={classNames("t-icon-button", base.class)}
      aria-label={label}
      title={label}
      onClick={base.onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function attributesOf({ type, isDisabled, isPressed, tabIndex, buttonRef }: ButtonBaseProps) {
  return {
    type: type ?? "button",
    disabled: isDisabled,
    "aria-pressed": isPressed,
    tabIndex,
    ...(buttonRef !== undefined && { ref: buttonRef }),
  } as const;
}
