/**
 * @fileoverview Renders a field of any kind.
 * @module ui/form/fields/field-view
 */
import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { type FieldViewProps, useForm } from "../form-context.js";
import type { Field } from "../model/field.js";
import { stateOf } from "../model/fit.js";
import { getAt } from "../model/path.js";
import { FileView } from "./file-view.js";
import { JsonFieldView, MisfitView } from "./json-view.js";
import { ListView } from "./list-view.js";
import { ObjectView } from "./object-view.js";
import { BooleanView, ChoicesView, ChoiceView, ConstView, NumberView } from "./scalar-views.js";
import { TextView } from "./text-view.js";
import { UnionView } from "./union-view.js";

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
export function FieldView(props: FieldViewProps): VNode {
  const { field, path } = props;
  const { store } = useForm();
  const isMisfit = useComputed(() => stateOf(field, getAt(store.value.value, path)) === "misfit").value;
  // Safe: the view belongs to the kind of the field.
  const View = (isMisfit ? MisfitView : VIEWS[field.kind]) as (props: FieldViewProps) => VNode;
  return <View {...props} />;
}
