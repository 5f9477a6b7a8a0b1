/**
 * @fileoverview Fields for objects and maps.
 * @module ui/form/fields/object-view
 */
import { useComputed } from "@preact/signals";
import { isJsonObject } from "@tenon/internal/json";
import type { RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "../../components/controls/button.js";
import { type TextControl, TextInput } from "../../components/fields/text-input.js";
import { type FieldViewProps, focusField, useForm } from "../form-context.js";
import { toLabel } from "../model/facts.js";
import type { ExtraFields, ObjectField } from "../model/field.js";
import { getAt, type Path } from "../model/path.js";
import { emptyValue } from "../model/values.js";
import { CollapsibleRow } from "./collapsible-row.js";

/** Field for an object: a field for each known member, and entries for other members. */
export function ObjectView({ field, ...props }: FieldViewProps & { readonly field: ObjectField }) {
  return (
    <CollapsibleRow {...props} field={field}>
      {() => <ObjectMembers field={field} path={props.path} />}
    </CollapsibleRow>
  );
}

/** Members of an object, without a frame. The root of a form has none. */
export function ObjectMembers({ field, path }: { readonly field: ObjectField; readonly path: Path }) {
  const { renderField } = useForm();
  return (
    <div class="t-form-members">
      {field.properties.map(({ name, isRequired, field: member }) => (
        <div key={name}>
          {renderField({
            field: member(),
            path: [...path, name],
            label: toLabel(name),
            presence: isRequired ? "required" : "optional",
          })}
        </div>
      ))}
      <OtherMembers field={field} path={path} />
    </div>
  );
}

/** Members that are not in the schema's `properties`. */
function OtherMembers({ field, path }: { readonly field: ObjectField; readonly path: Path }) {
  const { store } = useForm();
  const known = new Set(field.properties.map(({ name }) => name));
  // A text, because the component must render only when the names change.
  const joined = useComputed(() => {
    const value = getAt(store.value.value, path);
    return JSON.stringify(isJsonObject(value) ? Object.keys(value).filter((name) => !known.has(name)) : []);
  }).value;
  const names = toNames(joined);
  if (field.extras !== undefined) return <MapEntries extras={field.extras} path={path} names={names} />;
  if (names.length === 0) return null;
  return (
    <p class="t-quiet">
      Members that are not in the schema: <code>{names.map(toLabel).join(", ")}</code>. Edit them as JSON.
    </p>
  );
}

interface MapEntriesProps {
  readonly extras: ExtraFields;
  readonly path: Path;
  readonly names: readonly string[];
}

function MapEntries({ extras, path, names }: MapEntriesProps) {
  const { id, renderField, store } = useForm();
  const listId = useId();
  /** Name of the entry that gets the focus after it was renamed. */
  const renamed = useRef<string | undefined>(undefined);
  const suggestions = extras.names?.filter((name) => !names.includes(name)) ?? [];
  const add = (name: string) => store.set([...path, name], emptyValue(extras.field()));
  return (
    <div class="t-form-items">
      {names.map((name) => (
        <div key={name} class="t-form-item">
          <div class="t-form-item__bar">
            <EntryName path={[...path, name]} name={name} list={listId} renamed={renamed} />
            <IconButton
              icon="trash"
              label={`Remove ${toLabel(name)}`}
              onClick={() => {
                store.remove([...path, name]);
                focusField(id, path);
              }}
            />
          </div>
          {renderField({
            field: extras.field(),
            path: [...path, name],
            label: toLabel(name),
            presence: "fixed",
            isLabelHidden: true,
          })}
        </div>
      ))}
      <datalist id={listId}>
        {suggestions.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button icon="plus" tone="quiet" onClick={() => add(suggestions[0] ?? newName(names))}>
        Add entry
      </Button>
    </div>
  );
}

interface EntryNameProps {
  readonly path: Path;
  readonly name: string;
  /** ID of the `<datalist>` with suggestions. */
  readonly list: string;
  readonly renamed: RefObject<string | undefined>;
}

/** Name of an entry. It changes when the user leaves the input or presses Enter. */
function EntryName({ path, name, list, renamed }: EntryNameProps) {
  const { store } = useForm();
  const [text, setText] = useState(name);
  const [isTaken, setIsTaken] = useState(false);
  const input = useRef<TextControl>(null);
  const rename = () => setIsTaken(!store.rename(path, text));
  useEffect(() => {
    // An entry with another name is another component, so the focus must move to it.
    if (renamed.current === name) input.current?.focus();
    renamed.current = undefined;
  }, []);
  return (
    <div class="t-form-item__name">
      <TextInput
        attributes={{ "aria-label": `Name of ${toLabel(name)}`, "aria-invalid": isTaken ? true : undefined }}
        isMono
        inputRef={input}
        list={list}
        value={text}
        onInput={setText}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          renamed.current = text;
          rename();
        }}
      />
      {isTaken && (
        <span class="t-field__error" role="alert">
          Another entry has this name.
        </span>
      )}
    </div>
  );
}

function newName(names: readonly string[]): string {
  let count = names.length + 1;
  while (names.includes(`key${count}`)) count++;
  return `key${count}`;
}

function toNames(json: string): readonly string[] {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.map(String) : [];
}
