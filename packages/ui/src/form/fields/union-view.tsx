/**
 * @fileoverview Field for a value with one of several schemas.
 * @module ui/form/fields/union-view
 */
import { useComputed } from "@preact/signals";
import { SelectInput } from "../../components/fields/select.js";
import { type FieldViewProps, useForm } from "../form-context.js";
import type { UnionField } from "../model/field.js";
import { ObjectMembers } from "./object-view.js";
import { FieldRow } from "./field-row.js";

/** Field with a selector for the variant, and the fields of the variant. */
export function UnionView({ field, ...props }: FieldViewProps & { readonly field: UnionField }) {
  const { store } = useForm();
  const { path, nesting = 0 } = props;
  const index = useComputed(() => store.variantOf({ path, field, nesting })).value;
  return (
    <FieldRow {...props} field={field} isGroup>
      {({ id, "aria-describedby": describedBy }) => (
        <div class="t-form-union">
          <SelectInput
            attributes={{ id, "aria-describedby": describedBy, "aria-label": `Variant of ${props.label}` }}
            options={field.variants.map(({ label }, at) => ({ value: String(at), label }))}
            value={String(index)}
            onChange={(selected) => store.selectVariant({ path, field, nesting }, Number(selected))}
          />
          {/* Another variant is another component, even if its fields are similar. */}
          <VariantView key={index} field={field} index={index} {...props} />
        </div>
      )}
    </FieldRow>
  );
}

interface VariantViewProps extends Omit<FieldViewProps, "field"> {
  readonly field: UnionField;
  readonly index: number;
}

function VariantView({ field, index, path, label, nesting = 0 }: VariantViewProps) {
  const { renderField } = useForm();
  const variant = field.variants[index];
  if (variant === undefined) return null;
  const described = variant.field();
  // Members of an object follow the selector directly. Other fields have a frame, but the value exists anyway.
  if (described.kind === "object") return <ObjectMembers field={described} path={path} />;
  const variantLabel = `${label}: ${variant.label}`;
  return renderField({
    field: described,
    path,
    label: variantLabel,
    presence: "fixed",
    nesting: nesting + 1,
  });
}
