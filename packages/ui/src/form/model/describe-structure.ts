/**
 * @fileoverview Describes fields for objects and arrays.
 * @module ui/form/model/describe-structure
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { describeJson } from "./describe-scalar.js";
import { factsOf } from "./facts.js";
import type {
  ChoicesField,
  ExtraFields,
  Field,
  JsonField,
  LazyField,
  ListField,
  ObjectField,
} from "./field.js";
import { readArray, readNumber, readObject, readStrings } from "./schema.js";

/** Returns the field of a subschema, on demand. */
export type DescribeLater = (schema: unknown) => LazyField;

/** Options up to which an array of choices has a checkbox for each. */
const MAX_CHECKBOXES = 30;

/** Describes a field for an object. An object without known members is edited as JSON. */
export function describeObject(schema: JsonObject, later: DescribeLater): ObjectField | JsonField {
  const properties = readObject(schema, "properties");
  const required = new Set(readStrings(schema, "required"));
  const extras = extrasOf(schema, later);
  const missing = [...required].filter((name) => !Object.hasOwn(properties, name));
  const members = [
    ...Object.entries(properties),
    // A required member without a schema must still be entered.
    ...missing.map((name) => [name, extras === undefined ? true : undefined] as const),
  ];
  if (members.length === 0 && extras === undefined && schema["additionalProperties"] !== false) {
    return describeJson(schema, undefined, {});
  }
  return {
    ...factsOf(schema),
    kind: "object",
    properties: members.map(([name, member]) => ({
      name,
      isRequired: required.has(name),
      field: member === undefined && extras !== undefined ? extras.field : later(member),
    })),
    extras,
  };
}

/** Describes a field for an array. An array of a few choices has checkboxes. */
export function describeArray(schema: JsonObject, later: DescribeLater): ListField | ChoicesField {
  // Before 2020-12, `items` was also the keyword for fixed positions.
  const isOldTuple = Array.isArray(schema["items"]);
  const fixed = readArray(schema, isOldTuple ? "items" : "prefixItems");
  const rest = isOldTuple ? schema["additionalItems"] : schema["items"];
  const item = rest === false || (fixed.length > 0 && rest === undefined) ? undefined : later(rest);
  const choice = fixed.length === 0 && isJsonObject(rest) ? item?.() : undefined;
  if (choice?.kind === "choice" && !choice.isNullable && choice.options.length <= MAX_CHECKBOXES) {
    return { ...factsOf(schema), kind: "choices", options: choice.options };
  }
  return {
    ...factsOf(schema),
    kind: "list",
    fixed: fixed.map(later),
    item,
    minItems: Math.max(0, readNumber(schema, "minItems") ?? 0),
    maxItems: readNumber(schema, "maxItems"),
  };
}

/** Returns the field of members whose names are not fixed, or `undefined` if the schema does not describe them. */
function extrasOf(schema: JsonObject, later: DescribeLater): ExtraFields | undefined {
  const additional = schema["additionalProperties"];
  const patterns = Object.values(readObject(schema, "patternProperties"));
  const described = describesValues(additional) ? additional : patterns.find(describesValues);
  const allowed = readStrings(readObject(schema, "propertyNames"), "enum");
  const names = allowed.length > 0 ? allowed : undefined;
  if (described !== undefined) return { field: later(described), names };
  // Without other members, any JSON is easier to edit as one value.
  const isOpen = additional === true || isJsonObject(additional);
  const hasMembers = Object.keys(readObject(schema, "properties")).length > 0;
  return isOpen && (hasMembers || names !== undefined) ? { field: later(true), names } : undefined;
}

function describesValues(schema: unknown): boolean {
  return isJsonObject(schema) && Object.keys(schema).length > 0;
}

/** Returns true if a field contains other fields. */
export function isContainer(field: Field): field is ObjectField | ListField {
  return field.kind === "object" || field.kind === "list";
}
