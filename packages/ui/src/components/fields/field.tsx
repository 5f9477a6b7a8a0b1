/**
 * @fileoverview Label, description, and error around a control.
 * @module ui/components/fields/field
 */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "../../icons/icon.js";
import { classNames } from "../../support/class-names.js";

/** Properties that fields share. */
export interface FieldProps {
  readonly label: string;
  /** True if only screen readers get the label. */
  readonly isLabelHidden?: boolean | undefined;
  readonly description?: ComponentChildren;
  readonly error?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly class?: string | undefined;
}

/** Attributes that connect a control with its field. */
export interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
  readonly "aria-required": boolean | undefined;
}

/** Separates the properties of a field from those of its control. */
export function splitProps<Props extends FieldProps>(props: Props) {
  const { label, isLabelHidden, description, error, isRequired, class: className, ...control } = props;
  return { field: { label, isLabelHidden, description, error, isRequired, class: className }, control };
}

/** Properties of `Field`. */
export interface FieldFrameProps extends FieldProps {
  readonly children: (attributes: ControlAttributes) => ComponentChildren;
}

/** Shows a control with its label, description, and error. */
export function Field({ children, label, description, error, ...props }: FieldFrameProps) {
  const id = useId();
  const hasDescription = description !== undefined && description !== null && description !== "";
  const describedBy = classNames(hasDescription && `${id}-description`, error !== undefined && `${id}-error`);
  return (
    <div class={classNames("t-field", props.class)}>
      <label class={props.isLabelHidden === true ? "t-hidden" : "t-field__label"} for={id}>
        {label}
        {props.isRequired === true && <RequiredMark />}
      </label>
      {children({
        id,
        "aria-describedby": describedBy || undefined,
        "aria-invalid": error === undefined ? undefined : true,
        "aria-required": props.isRequired === true ? true : undefined,
      })}
      {hasDescription && (
        <div id={`${id}-description`} class="t-field__description">
          {description}
        </div>
      )}
      {error !== undefined && <FieldError id={`${id}-error`} message={error} />}
    </div>
  );
}

/** Mark of a required field. The control itself has `aria-required`. */
export function RequiredMark() {
  return (
    <span class="t-field__required" aria-hidden="true" title="Required">
      *
    </span>
  );
}

/** Error of a field. */
export function FieldError({ id, message }: { readonly id: string; readonly message: string }) {
  return (
    <div id={id} class="t-field__error">
      <Icon name="error" label="Error" />
      <span>{message}</span>
    </div>
  );
}
