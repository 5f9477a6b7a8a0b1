/**
 * @fileoverview Values that all fields of a form share.
 * @module ui/form/form-context
 */
import { useComputed } from "@preact/signals";
import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext } from "preact/hooks";
import type { FormStore } from "./form-store.js";
import type { Field } from "./model/field.js";
import { getAt, type Path, pathKey } from "./model/path.js";

/** Properties of a field's component. The path never changes: another path is another component. */
export interface FieldViewProps {
  readonly field: Field;
  readonly path: Path;
  readonly label: string;
  /** `optional` members can be left out. `fixed` values exist because of the value around them, such as elements. */
  readonly presence: "required" | "optional" | "fixed";
  /** Number of unions around the field that have the same path. @default 0 */
  readonly nesting?: number | undefined;
  /** True if only screen readers get the label. */
  readonly isLabelHidden?: boolean | undefined;
  /** Controls after the label, such as the buttons of an element. */
  readonly actions?: ComponentChildren;
}

/** Values that all fields of a form share. */
export interface FormScope {
  readonly store: FormStore;
  /** Prefix of the IDs of the form's elements. */
  readonly id: string;
  /** Renders a field of any kind. Containers get it from here, because it renders containers itself. */
  readonly renderField: (props: FieldViewProps) => VNode;
}

/** Context of a form. */
export const FormContext = createContext<FormScope | undefined>(undefined);

/** Returns the form around a component. */
export function useForm(): FormScope {
  const scope = useContext(FormContext);
  if (scope === undefined) throw new Error("A form field must be inside a `SchemaForm`.");
  return scope;
}

/** Returns the form, and the value at a path. The component renders only when this value changes. */
export function useField(path: Path) {
  const { store } = useForm();
  return { store, value: useComputed(() => getAt(store.value.value, path)).value };
}

/** Returns the text that the user has entered in a field, if its value cannot represent it. */
export function useDraft(path: Path): string | undefined {
  const { store } = useForm();
  const key = pathKey(path);
  return useComputed(() => store.drafts.value.get(key)?.text).value;
}

/** Returns the messages for a field, joined to one text, or `undefined`. */
export function useFieldError(path: Path): string | undefined {
  const { store } = useForm();
  const key = pathKey(path);
  return useComputed(() => store.messages.value.get(key)?.join(" ")).value;
}

/** Moves the focus to a field, and shows it. A field that contains other fields takes the focus with its label. */
export function focusField(formId: string, path: Path): void {
  const id = controlId(formId, path);
  const target = document.getElementById(id) ?? document.getElementById(`${id}:label`);
  for (let group = target; group != null; group = group.parentElement) group.hidden = false;
  target?.focus();
  target?.scrollIntoView({ block: "nearest" });
}

/** Returns the ID of a field's control. */
export function controlId(formId: string, path: Path, nesting = 0): string {
  // Spaces would separate IDs in ARIA attributes. The second dot ends the number.
  const key = pathKey(path).replaceAll(
    /[^\w/-]/g,
    (character) => `.${character.codePointAt(0)?.toString(16)}.`,
  );
  return `${formId}${key === "" ? "/" : key}${nesting === 0 ? "" : `:${nesting}`}`;
}
