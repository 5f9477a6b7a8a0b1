/**
 * @fileoverview Checkbox and switch.
 * @module ui/components/fields/checkbox
 */
import type { ComponentChildren } from "preact";

/** Properties of `Checkbox` and `Switch`. */
export interface CheckboxProps {
  /** Visible label. Without one, `name` is necessary. */
  readonly label?: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly isDisabled?: boolean | undefined;
  /** Name for screen readers, if the label is not enough. */
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean | undefined;
}

/** Checkbox, for a choice that takes effect later. */
export function Checkbox(props: CheckboxProps) {
  return (
    <label class="t-check">
      <input type="checkbox" class="t-check__box" {...attributesOf(props)} />
      {props.label !== undefined && <span class="t-check__label">{props.label}</span>}
    </label>
  );
}

/** Switch, for a setting that takes effect immediately. */
export function Switch(props: CheckboxProps) {
  return (
    <label class="t-check">
      <input type="checkbox" role="switch" class="t-switch" {...attributesOf(props)} />
      <span class="t-check__label">{props.label}</span>
    </label>
  );
}

function attributesOf(props: CheckboxProps) {
  return {
    id: props.id,
    checked: props.isChecked,
    disabled: props.isDisabled,
    "aria-label": props.name,
    "aria-describedby": props.describedBy,
    "aria-invalid": props.isInvalid === true ? true : undefined,
    onChange: (event: { readonly currentTarget: HTMLInputElement }) =>
      props.onChange(event.currentTarget.checked),
  };
}
