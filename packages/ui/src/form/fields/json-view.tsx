/**
 * @fileoverview Field for a value that is edited as JSON.
 * @module ui/form/fields/json-view
 */
import { TextInput } from "../../components/fields/text-input.js";
import { Note } from "../../components/controls/badge.js";
import { Button } from "../../components/controls/button.js";
import { toJsonText } from "../../json/json-value.js";
import { type FieldViewProps, useDraft, useField, useForm } from "../form-context.js";
import type { Field, JsonField } from "../model/field.js";
import { parseJsonText } from "../model/text-values.js";
import { FieldRow } from "./field-row.js";

/** Field for any JSON value. A text with an error is kept, and the value stays that of the last valid text. */
export function JsonFieldView({ field, ...props }: FieldViewProps & { readonly field: JsonField }) {
  return (
    <FieldRow {...props} field={field} isShownUnset>
      {(attributes) => (
        <>
          {field.reason !== undefined && <p class="t-quiet">{field.reason}</p>}
          <JsonControl path={props.path} attributes={attributes} placeholder={field.example ?? "JSON"} />
        </>
      )}
    </FieldRow>
  );
}

/** Field for a value that its own field cannot show, such as a number in a text field. */
export function MisfitView({ field, ...props }: FieldViewProps & { readonly field: Field }) {
  const { store } = useForm();
  return (
    <FieldRow {...props} field={field}>
      {(attributes) => (
        <>
          <Note tone="warning">
            <p>The form cannot show this value. Edit it as JSON, or replace it with an empty one.</p>
            <Button onClick={() => store.include(props.path, field)}>Replace it</Button>
          </Note>
          <JsonControl path={props.path} attributes={attributes} placeholder="JSON" />
        </>
      )}
    </FieldRow>
  );
}

interface JsonControlProps {
  readonly path: FieldViewProps["path"];
  readonly attributes: Parameters<typeof TextInput>[0]["attributes"];
  readonly placeholder: string;
}

function JsonControl({ path, attributes, placeholder }: JsonControlProps) {
  const { store, value } = useField(path);
  const draft = useDraft(path);
  const text = draft ?? (value === undefined ? "" : toJsonText(value));
  return (
    <TextInput
      attributes={attributes}
      isMultiline
      isMono
      rows={Math.min(12, Math.max(2, text.split("\n").length))}
      value={text}
      placeholder={placeholder}
      onInput={(next) => store.enterText(path, next, parseJsonText(next))}
    />
  );
}
