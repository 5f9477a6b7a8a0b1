/**
 * @fileoverview Fields for texts, dates, and colors.
 * @module ui/form/fields/text-view
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { IconButton } from "../../components/controls/button.js";
import type { ControlAttributes } from "../../components/fields/field.js";
import { TextInput, type TextInputProps } from "../../components/fields/text-input.js";
import { type FieldViewProps, useField } from "../form-context.js";
import {
  fromLocalDateTime,
  fromLocalTime,
  isDateInput,
  toLocalDateTime,
  toLocalTime,
} from "../model/dates.js";
import type { TextField } from "../model/field.js";
import { FieldRow } from "./field-row.js";

/** Field for a text. */
export function TextView({ field, ...props }: FieldViewProps & { readonly field: TextField }) {
  const { store, value } = useField(props.path);
  const [isExpanded, setIsExpanded] = useState(false);
  const text = typeof value === "string" ? value : "";
  // A single-line input would remove line breaks.
  const isMultiline = field.isMultiline || isExpanded || text.includes("\n");
  const onInput = (next: string) => store.set(props.path, next);
  // A picker without a date has no value. Elements cannot be left out.
  const onPick = (next: string) =>
    next === "" && typeof props.path.at(-1) === "string" ? store.remove(props.path) : onInput(next);
  return (
    <FieldRow
      {...props}
      field={field}
      isShownUnset
      actions={
        <>
          {field.format === undefined && !field.isMultiline && (
            <IconButton
              icon="expand"
              label={`Use several lines for ${props.label}`}
              isPressed={isMultiline}
              isDisabled={text.includes("\n")}
              onClick={() => setIsExpanded(!isExpanded)}
            />
          )}
          {props.actions}
        </>
      }
    >
      {(attributes) => (
        <TextControls
          attributes={attributes}
          field={field}
          text={text}
          isSet={typeof value === "string"}
          isMultiline={isMultiline}
          onInput={onInput}
          onPick={onPick}
        />
      )}
    </FieldRow>
  );
}

interface TextControlsProps {
  readonly attributes: ControlAttributes;
  readonly field: TextField;
  readonly text: string;
  readonly isSet: boolean;
  readonly isMultiline: boolean;
  readonly onInput: (text: string) => void;
  /** Called for dates and times. The text is empty if the user has cleared the picker. */
  readonly onPick: (text: string) => void;
}

function TextControls(props: TextControlsProps): VNode {
  const { attributes, field, text, isSet, isMultiline, onInput, onPick } = props;
  const placeholder = field.example ?? (isSet ? "empty text" : undefined);
  const picker = isMultiline ? undefined : pickerOf(field.format, text);
  if (picker !== undefined) {
    return (
      <div class="t-form-field__pair">
        <TextInput
          attributes={attributes}
          type={picker.type}
          value={picker.value}
          step={1}
          onInput={(input) => onPick(picker.toText(input) ?? "")}
        />
        {text !== "" && text !== picker.value && <code>{text}</code>}
      </div>
    );
  }
  const input = (
    <TextInput
      attributes={attributes}
      type={INPUT_TYPES[field.format ?? ""] ?? "text"}
      isMultiline={isMultiline}
      rows={field.isMultiline ? 5 : 3}
      value={text}
      placeholder={placeholder}
      onInput={onInput}
    />
  );
  if (field.format !== "color") return input;
  return (
    <div class="t-form-field__pair">
      <input
        type="color"
        class="t-input"
        aria-label="Pick a color"
        value={/^#[\da-f]{6}$/i.test(text) ? text : "#000000"}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {input}
    </div>
  );
}

const INPUT_TYPES: Readonly<Record<string, TextInputProps["type"]>> = {
  email: "email",
  uri: "url",
  password: "password",
};

interface Picker {
  readonly type: "date" | "time" | "datetime-local";
  readonly value: string;
  readonly toText: (input: string) => string | undefined;
}

/** Returns the browser's picker for a date or time, or `undefined` if it cannot show the text. */
function pickerOf(format: TextField["format"], text: string): Picker | undefined {
  if (format === "date" && isDateInput(text)) return { type: "date", value: text, toText: (input) => input };
  if (format === "time") {
    const value = text === "" ? "" : toLocalTime(text);
    return value === undefined ? undefined : { type: "time", value, toText: fromLocalTime };
  }
  if (format !== "date-time") return undefined;
  const value = text === "" ? "" : toLocalDateTime(text);
  return value === undefined ? undefined : { type: "datetime-local", value, toText: fromLocalDateTime };
}
