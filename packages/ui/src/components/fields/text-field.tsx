/**
 * @fileoverview Text field: a text input with a label.
 * @module ui/components/fields/text-field
 */
import { Field, type FieldProps, splitProps } from "./field.js";
import { TextInput, type TextInputProps } from "./text-input.js";

/** Properties of `TextField`. */
export interface TextFieldProps extends FieldProps, TextInputProps {}

/** Text field with one line or several lines. */
export function TextField(props: TextFieldProps) {
  const { field, control } = splitProps(props);
  return <Field {...field}>{(attributes) => <TextInput {...control} attributes={attributes} />}</Field>;
}
