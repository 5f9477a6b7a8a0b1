/**
 * @fileoverview Renders a field of any kind.
 * @module ui/form/fields/field-view
 */
import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { type FieldViewProps, useForm } from "../form-context.js";
import { stateOf } from "../model/fit.js";
import { getAt } from "../model/path.js";
import { FileView } from "./file-view.js";
import { JsonFieldView, MisfitView } from "./json-view.js";
import { ListView } from "./list-view.js";
import { ObjectView } from "./object-view.js";
import { BooleanView, ChoicesView, ChoiceView, ConstView, NumberView } from "./scalar-views.js";
import { TextView } from "./text-view.js";
import { UnionView } from "./union-view.js";

/** Field of any kind. A value that its field cannot show is edited as JSON. */
export function FieldView({ field, ...props }: FieldViewProps): VNode {
  const { store } = useForm();
  const isMisfit = useComputed(() => stateOf(field, getAt(store.value.value, props.path)) === "misfit").value;
  if (isMisfit) return <MisfitView {...props} field={field} />;
  switch (field.kind) {
    case "text":
      return <TextView {...props} field={field} />;
    case "number":
      return <NumberView {...props} field={field} />;
    case "boolean":
      return <BooleanView {...props} field={field} />;
    case "choice":
      return <ChoiceView {...props} field={field} />;
    case "choices":
      return <ChoicesView {...props} field={field} />;
    case "const":
      return <ConstView {...props} field={field} />;
    case "object":
      return <ObjectView {...props} field={field} />;
    case "list":
      return <ListView {...props} field={field} />;
    case "union":
      return <UnionView {...props} field={field} />;
    case "file":
      return <FileView {...props} field={field} />;
    case "json":
      return <JsonFieldView {...props} field={field} />;
  }
}
