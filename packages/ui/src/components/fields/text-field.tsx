/**
 * @fileoverview Text field: a text input with a label.
 * @module ui/components/fields/text-field
 */
import { Field, type FieldProps } from "./field.js";
import { TextInput, type TextInputProps } from "./text-input.js";

/** Properties of `TextField`. */
export interface TextFieldProps extends FieldProps, TextInputProps {}

/** Text field with one line or several lines. */
export function TextField({
  label,
  isLabelHidden,
  description,
  error,
  isRequired,
  class: className,
  ...input
}: TextFieldProps) {
  return (
    <Field {...{ label, isLabelHidden, description, error, isRequired }} class={className}>
      {(attributes) => <TextInput {...input} attributes={attributes} />}
    </Field>
  );
}
