/**
 * @fileoverview Fields for numbers, booleans, choices, and constants.
 * @module ui/form/fields/scalar-views
 */
import { Checkbox, Switch } from "../../components/fields/checkbox.js";
import { SelectInput } from "../../components/fields/select.js";
import { TextInput } from "../../components/fields/text-input.js";
import { type FieldViewProps, useDraft, useField } from "../form-context.js";
import { toShortText } from "../model/facts.js";
import type { BooleanField, ChoiceField, ChoicesField, ConstField, NumberField } from "../model/field.js";
import { isEqual } from "../model/fit.js";
import { parseNumber } from "../model/text-values.js";
import { FieldRow } from "./field-row.js";

/** Field for a number. A text that is not a number is kept, and the field shows why it is not valid. */
export function NumberView({ field, ...props }: FieldViewProps & { readonly field: NumberField }) {
  const { store, value } = useField(props.path);
  const draft = useDraft(props.path);
  return (
    <FieldRow {...props} field={field} isShownUnset>
      {(attributes) => (
        <TextInput
          attributes={attributes}
          inputMode={field.isInteger ? "numeric" : "decimal"}
          isMono
          value={draft ?? (typeof value === "number" ? String(value) : "")}
          placeholder={field.example}
          onInput={(text) => store.enterText(props.path, text, parseNumber(text, field.isInteger))}
        />
      )}
    </FieldRow>
  );
}

/** Field for true or false. */
export function BooleanView({ field, ...props }: FieldViewProps & { readonly field: BooleanField }) {
  const { store, value } = useField(props.path);
  return (
    <FieldRow {...props} field={field} isShownUnset>
      {(attributes) => (
        <Switch
          id={attributes.id}
          describedBy={attributes["aria-describedby"]}
          isInvalid={attributes["aria-invalid"]}
          name={props.label}
          label={<code>{typeof value === "boolean" ? String(value) : "–"}</code>}
          isChecked={value === true}
          onChange={(isOn) => store.set(props.path, isOn)}
        />
      )}
    </FieldRow>
  );
}

/** Field for one of several values. */
export function ChoiceView({ field, ...props }: FieldViewProps & { readonly field: ChoiceField }) {
  const { store, value } = useField(props.path);
  const index = value === undefined ? -1 : field.options.findIndex((option) => isEqual(option.value, value));
  return (
    <FieldRow {...props} field={field} isShownUnset>
      {(attributes) => (
        <SelectInput
          attributes={attributes}
          options={field.options.map(({ label }, at) => ({ value: String(at), label }))}
          value={index === -1 ? undefined : String(index)}
          placeholder="Not set"
          onChange={(selected) => store.set(props.path, field.options[Number(selected)]?.value)}
        />
      )}
    </FieldRow>
  );
}

/** Field for several different values from a list. */
export function ChoicesView({ field, ...props }: FieldViewProps & { readonly field: ChoicesField }) {
  const { store, value } = useField(props.path);
  const selected: readonly unknown[] = Array.isArray(value) ? value : [];
  const isSelected = (option: unknown) => selected.some((one) => isEqual(one, option));
  // The values keep the order of the options.
  const select = (option: unknown, isOn: boolean) => {
    const values = field.options.map((one) => one.value);
    store.set(
      props.path,
      values.filter((one) => (one === option ? isOn : isSelected(one))),
    );
  };
  return (
    <FieldRow {...props} field={field} isGroup isShownUnset>
      {({ id }) => (
        <div class="t-form-field__choices">
          {field.options.map((option, index) => (
            <Checkbox
              key={index}
              id={index === 0 ? id : undefined}
              label={option.label}
              isChecked={isSelected(option.value)}
              onChange={(isOn) => select(option.value, isOn)}
            />
          ))}
        </div>
      )}
    </FieldRow>
  );
}

/** Field with only one possible value. */
export function ConstView({ field, ...props }: FieldViewProps & { readonly field: ConstField }) {
  return (
    <FieldRow {...props} field={field} isGroup>
      {(_, state) =>
        state === "unset" ? (
          <span class="t-quiet">Not set</span>
        ) : (
          <code class="t-form-field__const">{toShortText(field.value)}</code>
        )
      }
    </FieldRow>
  );
}
