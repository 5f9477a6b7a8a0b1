/**
 * @fileoverview Selection of one value from a list.
 * @module ui/components/fields/select
 */
import { Icon } from "../../icons/icon.js";
import { type ControlAttributes, Field, type FieldProps, splitProps } from "./field.js";

/** Option of a select. */
export interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly isDisabled?: boolean | undefined;
}

/** Properties of a select, except its label. */
export interface SelectInputProps {
  readonly options: readonly SelectOption[];
  /** Value of the selected option. If no option has this value, the placeholder is shown. */
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
  /** Text that is shown while nothing is selected. @default "Select…" */
  readonly placeholder?: string | undefined;
}

/** Value of the placeholder's option. Other options have their position as their value. */
const NONE = "";

/** Select without a label. Options are identified by position, so two options may have the same value. */
export function SelectInput({
  attributes,
  options,
  value,
  onChange,
  ...props
}: SelectInputProps & {
  readonly attributes: Partial<ControlAttributes> & { readonly "aria-label"?: string };
}) {
  const selected = options.findIndex((option) => option.value === value);
  return (
    <div class="t-select">
      <select
        {...attributes}
        class="t-input"
        value={selected === -1 ? NONE : String(selected)}
        onChange={(event) => {
          const option = options[Number(event.currentTarget.value)];
          if (event.currentTarget.value !== NONE && option !== undefined) onChange(option.value);
        }}
      >
        {selected === -1 && (
          <option value={NONE} disabled>
            {props.placeholder ?? "Select…"}
          </option>
        )}
        {options.map((option, index) => (
          <option key={index} value={String(index)} disabled={option.isDisabled}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </div>
  );
}

/** Properties of `Select`. */
export interface SelectProps extends FieldProps, SelectInputProps {}

/** Select with a label. */
export function Select(props: SelectProps) {
  const { field, control } = splitProps(props);
  return <Field {...field}>{(attributes) => <SelectInput {...control} attributes={attributes} />}</Field>;
}
