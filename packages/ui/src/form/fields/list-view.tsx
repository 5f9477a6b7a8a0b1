/**
 * @fileoverview Field for an array: elements with fixed positions, and elements that can be added, removed, and moved.
 * @module ui/form/fields/list-view
 */
import { useComputed } from "@preact/signals";
import { Button, IconButton } from "../../components/controls/button.js";
import { formatQuantity } from "../../support/format.js";
import { type FieldViewProps, focusField, useForm } from "../form-context.js";
import type { ListField } from "../model/field.js";
import { getAt, type Path } from "../model/path.js";
import { emptyValue } from "../model/values.js";
import { CollapsibleRow } from "./collapsible-row.js";

/** Field for an array. */
export function ListView({ field, ...props }: FieldViewProps & { readonly field: ListField }) {
  const { store } = useForm();
  // A number, because the component must render only when elements are added or removed.
  const count = useComputed(() => {
    const value = getAt(store.value.value, props.path);
    return Array.isArray(value) ? value.length : 0;
  }).value;
  const { fixed, item, maxItems = Number.POSITIVE_INFINITY } = field;
  const next = count < maxItems ? (fixed[count] ?? item) : undefined;
  return (
    <CollapsibleRow
      {...props}
      field={field}
      actions={
        <>
          <span class="t-quiet t-form-field__fold">{formatQuantity(count, "item")}</span>
          {props.actions}
        </>
      }
    >
      {() => (
        <div class="t-form-items">
          {Array.from({ length: count }, (_, index) => (
            <div key={index} class="t-form-item">
              <Item index={index} count={count} list={field} path={props.path} label={props.label} />
            </div>
          ))}
          {next !== undefined && (
            <Button icon="plus" tone="quiet" onClick={() => store.append(props.path, emptyValue(next()))}>
              Add item
            </Button>
          )}
        </div>
      )}
    </CollapsibleRow>
  );
}

interface ItemProps {
  readonly index: number;
  readonly count: number;
  readonly list: ListField;
  readonly path: Path;
  readonly label: string;
}

function Item({ index, list, path, label, ...props }: ItemProps) {
  const { renderField } = useForm();
  const field = (list.fixed[index] ?? list.item)?.();
  const isFixed = index < list.fixed.length;
  const name = (isFixed ? field?.title : undefined) ?? `${label} ${index}`;
  const actions = <ItemActions index={index} list={list} path={path} label={name} {...props} />;
  if (field !== undefined) {
    return renderField({ field, path: [...path, index], label: name, presence: "fixed", actions });
  }
  return (
    <div class="t-form-field__header">
      <span class="t-quiet">The schema does not allow item {index}. Edit it as JSON, or remove it.</span>
      <span class="t-form-field__actions">{actions}</span>
    </div>
  );
}

/** Buttons of an element. Elements with fixed positions can be removed only from the end. */
function ItemActions({ index, count, list, path, label }: ItemProps) {
  const { store, id } = useForm();
  const isFixed = index < list.fixed.length;
  const move = (direction: "up" | "down", button: HTMLElement) => {
    const to = direction === "up" ? index - 1 : index + 1;
    // The focus follows the element, so that the user can move it again.
    const row = button.closest(".t-form-items")?.children[to];
    const wanted = `.t-form-item__${direction}`;
    store.move(path, index, to);
    (
      row?.querySelector<HTMLElement>(`${wanted}:not(:disabled)`) ??
      row?.querySelector<HTMLElement>(MOVE_BUTTON)
    )?.focus();
  };
  return (
    <>
      {!isFixed &&
        (["up", "down"] as const).map((direction) => (
          <IconButton
            key={direction}
            class={`t-form-item__${direction}`}
            icon={`arrow-${direction}`}
            label={`Move ${label} ${direction}`}
            isDisabled={direction === "up" ? index <= list.fixed.length : index === count - 1}
            onClick={(event) => move(direction, event.currentTarget)}
          />
        ))}
      {(!isFixed || index === count - 1) && (
        <IconButton
          icon="trash"
          label={`Remove ${label}`}
          onClick={() => {
            store.remove([...path, index]);
            focusField(id, path);
          }}
        />
      )}
    </>
  );
}

const MOVE_BUTTON = ".t-form-item__up:not(:disabled), .t-form-item__down:not(:disabled)";
