/**
 * @fileoverview Frame of a field: label, description, and messages, and controls to leave the field out or set it to null.
 * @module ui/form/fields/field-row
 */
import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Badge } from "../../components/controls/badge.js";
import { Checkbox } from "../../components/fields/checkbox.js";
import { type ControlAttributes, FieldError, RequiredMark } from "../../components/fields/field.js";
import { classNames } from "../../support/class-names.js";
import { controlId, type FieldViewProps, useFieldError, useForm } from "../form-context.js";
import { type FieldState, stateOf } from "../model/fit.js";
import { getAt } from "../model/path.js";

/** Properties of `FieldRow`. */
export interface FieldRowProps extends FieldViewProps {
  /** Renders the control. It is not called while the value is null. */
  readonly children: (attributes: ControlAttributes, state: FieldState) => ComponentChildren;
  /** True if the control consists of other fields, so it has no label of its own. */
  readonly isGroup?: boolean | undefined;
  /** True if the control is visible while the field is not set, so that entering something sets it. */
  readonly isShownUnset?: boolean | undefined;
}

/** Shows a field with everything around its control. */
export function FieldRow(props: FieldRowProps) {
  const { field, path, presence, isGroup = false, nesting = 0 } = props;
  const { store, id: formId } = useForm();
  const id = controlId(formId, path, nesting);
  const messages = useFieldError(path);
  // The union around a field with the same path shows the messages.
  const error = nesting === 0 ? messages : undefined;
  const state = useComputed(() => stateOf(field, getAt(store.value.value, path))).value;
  const isBodyShown =
    state !== "null" && (state !== "unset" || presence !== "optional" || props.isShownUnset === true);
  const hasDescription = field.description !== undefined || field.hints.length > 0;
  const describedBy = classNames(hasDescription && `${id}:description`, error !== undefined && `${id}:error`);
  const attributes: ControlAttributes = {
    id,
    "aria-describedby": describedBy || undefined,
    "aria-invalid": messages === undefined ? undefined : true,
    "aria-required": presence === "required" ? true : undefined,
  };
  const group = isGroup
    ? ({
        role: "group",
        "aria-labelledby": `${id}:label`,
        "aria-describedby": attributes["aria-describedby"],
      } as const)
    : {};
  return (
    <div class="t-form-field" data-state={state} data-open={isBodyShown} {...group}>
      <RowHeader {...props} state={state} id={id} />
      {hasDescription && (
        <div id={`${id}:description`} class="t-form-field__description">
          {field.description !== undefined && <p>{field.description}</p>}
          {field.hints.length > 0 && <p class="t-form-field__hints">{field.hints.join(" · ")}</p>}
        </div>
      )}
      {isBodyShown && <div class="t-form-field__body">{props.children(attributes, state)}</div>}
      {error !== undefined && <FieldError id={`${id}:error`} message={error} />}
    </div>
  );
}

interface RowHeaderProps extends FieldRowProps {
  readonly state: FieldState;
  readonly id: string;
}

function RowHeader({ field, path, label, presence, isGroup = false, state, id, ...props }: RowHeaderProps) {
  const { store } = useForm();
  const labelClass = props.isLabelHidden === true ? "t-hidden" : "t-form-field__label";
  const text = (
    <>
      {label}
      {presence === "required" && <RequiredMark />}
    </>
  );
  return (
    <div class="t-form-field__header">
      {presence === "optional" && (
        <Checkbox
          name={`Include ${label}`}
          isChecked={state !== "unset"}
          onChange={(isOn) => (isOn ? store.include(path, field) : store.remove(path))}
        />
      )}
      {isGroup ? (
        <span id={`${id}:label`} class={labelClass} tabIndex={-1}>
          {text}
        </span>
      ) : (
        <label id={`${id}:label`} class={labelClass} for={id}>
          {text}
        </label>
      )}
      {field.title !== undefined && field.title !== label && <span class="t-quiet">{field.title}</span>}
      {field.isDeprecated && <Badge tone="warning">deprecated</Badge>}
      <StateHint state={state} presence={presence} />
      <span class="t-form-field__actions">
        {field.isNullable && (
          <Checkbox
            label="null"
            name={`Set ${label} to null`}
            isChecked={state === "null"}
            onChange={(isOn) => (isOn ? store.set(path, null) : store.include(path, field))}
          />
        )}
        {props.actions}
      </span>
    </div>
  );
}

/** Text that tells a field that is not set from an empty one. */
function StateHint({ state, presence }: { readonly state: FieldState; readonly presence: string }) {
  if (state !== "unset") return null;
  return <span class="t-form-field__state">{presence === "required" ? "required, not set" : "not set"}</span>;
}
