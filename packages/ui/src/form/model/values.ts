/**
 * @fileoverview Values of new fields.
 * @module ui/form/model/values
 */
import type { Field, ListField, NumberField, ObjectField } from "./field.js";

/** Elements that a new list gets because of `minItems`. */
const MAX_NEW_ITEMS = 10;

/**
 * Returns the value of a field that must have one, or `undefined` if the user has to enter it. Defaults and constants are
 * filled in. Optional members have a value only if they have a default.
 */
export function initialValue(field: Field): unknown {
  if (field.defaultValue !== undefined) return structuredClone(field.defaultValue);
  if (field.isNullable) return null;
  switch (field.kind) {
    case "boolean":
      return false;
    case "const":
      return field.value;
    case "choice":
      return field.options.length === 1 ? field.options[0]?.value : undefined;
    case "choices":
      return [];
    case "object":
      return initialObject(field);
    case "list":
      return initialList(field);
    case "union":
      return field.variants[0] === undefined ? undefined : initialValue(field.variants[0].field());
    default:
      return undefined;
  }
}

/**
 * Returns the value of an optional field that the user adds, or of a new element. Never `undefined`, and null only if there
 * is no other value: the user can set it to null.
 */
export function emptyValue(field: Field): unknown {
  const { defaultValue } = field;
  const initial = initialValue({
    ...field,
    isNullable: false,
    defaultValue: defaultValue === null ? undefined : defaultValue,
  });
  if (initial !== undefined) return initial;
  switch (field.kind) {
    case "text":
    case "file":
      return "";
    case "number":
      return closestToZero(field);
    case "choice":
      return field.options[0]?.value ?? null;
    case "union":
      return field.variants[0] === undefined ? null : emptyValue(field.variants[0].field());
    case "json":
      return structuredClone(field.emptyValue);
    default:
      return null;
  }
}

function initialObject(field: ObjectField): Readonly<Record<string, unknown>> {
  const members = field.properties.map(({ name, isRequired, field: member }) => {
    const described = member();
    return [name, isRequired ? initialValue(described) : structuredClone(described.defaultValue)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function initialList({ fixed, item, minItems }: ListField): readonly unknown[] {
  const missing = item === undefined ? 0 : Math.max(0, Math.min(minItems, MAX_NEW_ITEMS) - fixed.length);
  return [
    ...fixed.map((member) => emptyValue(member())),
    ...Array.from({ length: missing }, () => (item === undefined ? null : emptyValue(item()))),
  ];
}

function closestToZero({ min, max }: NumberField): number {
  return Math.max(min ?? Number.NEGATIVE_INFINITY, Math.min(max ?? Number.POSITIVE_INFINITY, 0));
}
