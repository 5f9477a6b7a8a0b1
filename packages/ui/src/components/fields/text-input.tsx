/**
 * @fileoverview Text input for one line or several lines, without a label.
 * @module ui/components/fields/text-input
 */
import type { RefObject, TargetedKeyboardEvent } from "preact";
import { classNames } from "../../support/class-names.js";
import type { ControlAttributes } from "./field.js";

/** Control of a text input. */
export type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** Properties of a text input, except its label. */
export interface TextInputProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Type of an input with one line. @default "text" */
  readonly type?:
    "text" | "search" | "email" | "url" | "password" | "date" | "time" | "datetime-local" | undefined;
  readonly isMultiline?: boolean | undefined;
  /** Lines that are visible if the input has several lines. @default 4 */
  readonly rows?: number | undefined;
  /** True for data, such as JSON or numbers. */
  readonly isMono?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly inputMode?: "text" | "numeric" | "decimal" | undefined;
  /** ID of a `<datalist>` with suggestions. */
  readonly list?: string | undefined;
  readonly step?: number | undefined;
  readonly onKeyDown?: ((event: TargetedKeyboardEvent<TextControl>) => void) | undefined;
  readonly onBlur?: (() => void) | undefined;
  readonly inputRef?: RefObject<TextControl | null> | undefined;
}

/** Text input without a label. The attributes connect it with a label elsewhere. */
export function TextInput({
  attributes,
  ...props
}: TextInputProps & {
  readonly attributes: Partial<ControlAttributes> & { readonly "aria-label"?: string };
}) {
  const shared = {
    ...attributes,
    class: classNames("t-input", props.isMono === true && "t-input--mono"),
    value: props.value,
    placeholder: props.placeholder,
    spellcheck: false,
    autocomplete: "off",
    autocapitalize: "off" as const,
    onInput: (event: { readonly currentTarget: TextControl }) => props.onInput(event.currentTarget.value),
    onKeyDown: props.onKeyDown,
    onBlur: props.onBlur,
    ref: (element: TextControl | null) => {
      if (props.inputRef !== undefined) props.inputRef.current = element;
    },
  };
  if (props.isMultiline === true) return <textarea {...shared} rows={props.rows ?? 4} />;
  // Safe: the other types allow the same attributes, except `list` and roles.
  const type = { type: props.type ?? "text" } as { readonly type: "text" };
  return <input {...shared} {...type} inputMode={props.inputMode} list={props.list} step={props.step} />;
}
