/**
 * @fileoverview Follows a value through the fields of a form: finds the field that shows a path, and counts fields.
 * @module ui/form/model/walk
 */
import { isJsonObject } from "@tenon/internal/json";
import { MAX_DEPTH } from "./describe.js";
import type { Field, LazyField } from "./field.js";
import { matchVariant, stateOf } from "./fit.js";
import { getAt, type Path } from "./path.js";

/** Fields that a form shows at most. A larger value is edited as JSON. */
export const MAX_FIELDS = 2_000;

/** Returns the variant of a union that the user has selected. `nesting` counts the unions around it with the same path. */
export type SelectedVariant = (path: Path, nesting: number) => number | undefined;

/** Form and its value. */
export interface FormState {
  readonly field: Field;
  readonly value: unknown;
  readonly selected: SelectedVariant;
}

/** Returns the path of the field that shows a problem: the path itself, or the closest field around it. */
export function ownerOf({ field, value, selected }: FormState, path: Path): Path {
  let current = field;
  for (let length = 0; length < path.length; length++) {
    const here = path.slice(0, length);
    const members = membersOf({ field: current, value: getAt(value, here), selected }, here);
    const next = members.find(({ key }) => key === path[length]);
    if (next === undefined) return here;
    current = next.field();
  }
  return path;
}

/** Counts the fields of a form. Stops after `limit`. */
export function countFields(state: FormState, limit = MAX_FIELDS): number {
  let count = 0;
  const open: { readonly path: Path; readonly field: LazyField }[] = [{ path: [], field: () => state.field }];
  for (let next = open.pop(); next !== undefined && count <= limit; next = open.pop()) {
    count++;
    const value = getAt(state.value, next.path);
    // A field without a value shows no members. Fields are described only if they are shown.
    if (value === undefined || value === null || typeof value !== "object") continue;
    for (const { key, field } of membersOf({ ...state, field: next.field(), value }, next.path)) {
      open.push({ path: [...next.path, key], field });
    }
  }
  return count;
}

interface Member {
  readonly key: string | number;
  readonly field: LazyField;
}

/** Returns the fields inside a field that are visible for its value. */
function membersOf({ field, value, selected }: FormState, path: Path): readonly Member[] {
  const shown = throughUnions({ field, value, selected }, path);
  if (stateOf(shown, value) !== "set") return [];
  if (shown.kind === "object" && isJsonObject(value)) {
    const known = new Set(shown.properties.map(({ name }) => name));
    const extras = Object.keys(value).filter((name) => !known.has(name));
    const { field: extraField } = shown.extras ?? {};
    return [
      ...shown.properties.map(({ name, field: member }) => ({ key: name, field: member })),
      ...(extraField === undefined ? [] : extras.map((name) => ({ key: name, field: extraField }))),
    ];
  }
  if (shown.kind !== "list" || !Array.isArray(value)) return [];
  return value.flatMap((_, index) => {
    const member = shown.fixed[index] ?? shown.item;
    return member === undefined ? [] : [{ key: index, field: member }];
  });
}

/** Returns the selected variant of a union, and of a union inside it. */
function throughUnions({ field, value, selected }: FormState, path: Path): Field {
  let current = field;
  for (let nesting = 0; current.kind === "union" && nesting < MAX_DEPTH; nesting++) {
    const index = selected(path, nesting) ?? matchVariant(current, value);
    const variant = current.variants[index];
    if (variant === undefined) return current;
    current = variant.field();
  }
  return current;
}
