/**
 * @fileoverview Form for a JSON Schema, with a switch to edit the value as JSON.
 * @module ui/form/schema-form
 */
import { useComputed } from "@preact/signals";
import { useId, useMemo, useRef } from "preact/hooks";
import { Note } from "../components/controls/badge.js";
import { Button } from "../components/controls/button.js";
import { Switch } from "../components/fields/checkbox.js";
import { TextField } from "../components/fields/text-field.js";
import { formatCount, formatQuantity } from "../support/format.js";
import { ObjectMembers, ObjectView } from "./fields/object-view.js";
import { type FieldViewProps, focusField, FormContext, type FormScope, useForm } from "./form-context.js";
import type { FormStore, ShownProblem } from "./form-store.js";
import { canShow, stateOf } from "./model/fit.js";
import { MAX_FIELDS } from "./model/walk.js";
import type { VNode } from "preact";
import type { Field } from "./model/field.js";
import { getAt } from "./model/path.js";
import { FileView } from "./fields/file-view.js";
import { JsonFieldView, MisfitView } from "./fields/json-view.js";
import { ListView } from "./fields/list-view.js";
import { BooleanView, ChoicesView, ChoiceView, ConstView, NumberView } from "./fields/scalar-views.js";
import { TextView } from "./fields/text-view.js";
import { UnionView } from "./fields/union-view.js";
import { showPath } from "../json/json-value.js";

/** Properties of `SchemaForm`. */
export interface SchemaFormProps {
  readonly store: FormStore;
  /** Name of the form for screen readers, such as "Arguments of search". */
  readonly label: string;
}

/**
 * Form for a JSON Schema. The store has its value. The component has no submit button: the page reads `store.value`
 * unless `store.isIncomplete`.
 */
export function SchemaForm({ store, label }: SchemaFormProps) {
  const id = useId();
  const key = useStoreKey(store);
  const scope = useMemo<FormScope>(
    () => ({ store, id, renderField: (props) => <FieldView {...props} /> }),
    [store, id],
  );
  return (
    <FormContext.Provider value={scope}>
      <div class="t-form" role="group" aria-label={label}>
        <ModeSwitch />
        <ProblemSummary />
        {store.mode.value === "json" ? <JsonEditor label={label} /> : <RootField key={key} label={label} />}
      </div>
    </FormContext.Provider>
  );
}

/** Returns a key that changes with the store. Another store is another form, so no state of its fields remains. */
function useStoreKey(store: FormStore): number {
  const last = useRef({ store, key: 0 });
  if (last.current.store !== store) last.current = { store, key: last.current.key + 1 };
  return last.current.key;
}

function ModeSwitch() {
  const { store } = useForm();
  const isTooLarge = store.isTooLarge.value;
  const isJson = store.mode.value === "json";
  return (
    <div class="t-form__mode">
      <Switch
        label="Edit as JSON"
        isChecked={isJson}
        isDisabled={isTooLarge && isJson}
        onChange={(isOn) => (isOn ? store.showJson() : store.showForm())}
      />
      {isTooLarge && (
        <Note>
          The value has too many fields for a form (limit: {formatCount(MAX_FIELDS)}). Edit it as JSON.
        </Note>
      )}
      {!isJson && store.jsonError.value !== undefined && (
        <Note tone="warning">
          The JSON text has an error. The form shows the last valid value, and the text is kept.
        </Note>
      )}
    </div>
  );
}

function JsonEditor({ label }: { readonly label: string }) {
  const { store } = useForm();
  const text = store.jsonText.value;
  const error = store.jsonError.value;
  return (
    <div class="t-form__json">
      <TextField
        label={`${label} as JSON`}
        isLabelHidden
        isMultiline
        isMono
        rows={Math.min(24, Math.max(8, text.split("\n").length + 1))}
        value={text}
        error={error}
        onInput={(next) => store.editJson(next)}
      />
      {error !== undefined && (
        <Button tone="quiet" onClick={() => store.discardJson()}>
          Discard this text
        </Button>
      )}
    </div>
  );
}

function RootField({ label }: { readonly label: string }) {
  const { store } = useForm();
  const { field } = store;
  const isShown = useComputed(() => canShow(field, store.value.value)).value;
  if (field.kind === "object" && isShown) {
    if (field.properties.length === 0 && field.extras === undefined) {
      return <p class="t-quiet">There is nothing to enter.</p>;
    }
    return <ObjectMembers field={field} path={[]} />;
  }
  return <FieldView field={field} path={[]} label={label} presence="fixed" />;
}

type ViewProps<Kind> = FieldViewProps & { readonly field: Extract<Field, { readonly kind: Kind }> };

const VIEWS: { readonly [Kind in Field["kind"]]: (props: ViewProps<Kind>) => VNode } = {
  text: TextView,
  number: NumberView,
  boolean: BooleanView,
  choice: ChoiceView,
  choices: ChoicesView,
  const: ConstView,
  object: ObjectView,
  list: ListView,
  union: UnionView,
  file: FileView,
  json: JsonFieldView,
};

/** Field of any kind. A value that its field cannot show is edited as JSON. */
function FieldView(props: FieldViewProps): VNode {
  const { field, path } = props;
  const { store } = useForm();
  const isMisfit = useComputed(() => stateOf(field, getAt(store.value.value, path)) === "misfit").value;
  // Safe: the view belongs to the kind of the field.
  const View = (isMisfit ? MisfitView : VIEWS[field.kind]) as (props: FieldViewProps) => VNode;
  return <View {...props} />;
}

const MAX_SHOWN = 20;

/** Lists the problems of a form, with a button for each that goes to its field. */
function ProblemSummary() {
  const { store, id } = useForm();
  const problems = store.problems.value;
  if (problems.length === 0) return null;
  const isForm = store.mode.value === "form";
  return (
    <Note tone="danger" isLive>
      <p>{formatQuantity(problems.length, "problem")}</p>
      <ul class="t-form-problems">
        {problems.slice(0, MAX_SHOWN).map((problem, index) => (
          <li key={index}>
            {isForm ? (
              <button
                type="button"
                class="t-form-problems__link"
                onClick={() => focusField(id, problem.owner)}
              >
                {nameOf(problem)}
              </button>
            ) : (
              <code>{nameOf(problem)}</code>
            )}
            : {problem.message}
          </li>
        ))}
      </ul>
      {problems.length > MAX_SHOWN && <p>{formatQuantity(problems.length - MAX_SHOWN, "more problem")}</p>}
    </Note>
  );
}

function nameOf({ path }: ShownProblem): string {
  return path.length === 0 ? "Whole value" : showPath(path);
}
