/**
 * @fileoverview Describes fields for values with one of several schemas: `oneOf`, `anyOf`, several types, and enums.
 * @module ui/form/model/describe-union
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { factsOf, toLabel, toShortText } from "./facts.js";
import type { ChoiceField, ChoiceOption, FieldFacts, UnionField } from "./field.js";
import type { DescribeLater } from "./describe-structure.js";
import { resolveSchema } from "./resolve.js";
import { inferTypes, readArray, readObject, readString, readStrings, type SchemaType } from "./schema.js";

const MAX_VARIANTS = 100;
/** Options of a choice. A longer list has no choice. */
export const MAX_OPTIONS = 5_000;

/** Schemas of `oneOf` or `anyOf`, without those that allow only null. */
export interface Alternatives {
  readonly variants: readonly unknown[];
  /** Schema without `oneOf` and `anyOf`. Its constraints apply to every variant. */
  readonly base: JsonObject;
  readonly isNullable: boolean;
}

/** Reads `oneOf` or `anyOf`. Returns `undefined` if there is none, or if it only restricts the schema around it. */
export function readAlternatives(schema: JsonObject, root: JsonObject): Alternatives | undefined {
  const { oneOf, anyOf, ...base } = schema;
  const all: unknown = Array.isArray(oneOf) && oneOf.length > 0 ? oneOf : anyOf;
  if (!Array.isArray(all) || all.length === 0 || all.length > MAX_VARIANTS) return undefined;
  const variants = all.filter((variant) => !isNullOnly(variant, root));
  // Also for alternatives that all allow only null.
  if (variants.every(isRestriction)) return undefined;
  return { variants, base, isNullable: variants.length < all.length };
}

/** Describes a choice if every alternative is one value, such as `{ const: "a", title: "A" }`. */
export function describeConstants(
  { variants, base, isNullable }: Alternatives,
  root: JsonObject,
): ChoiceField | undefined {
  const options: ChoiceOption[] = [];
  for (const variant of variants) {
    const resolved = resolveSchema(variant, root);
    if (!resolved.ok) return undefined;
    const { schema } = resolved;
    const values = Object.hasOwn(schema, "const") ? [schema["const"]] : readArray(schema, "enum");
    if (values.length === 0 || options.length + values.length > MAX_OPTIONS) return undefined;
    const title = readString(schema, "title");
    const label = values.length === 1 && title !== undefined ? toLabel(title) : undefined;
    options.push(...values.map((value) => ({ value, label: label ?? optionLabel(value) })));
  }
  return { ...factsOf(base, isNullable), kind: "choice", options };
}

/** Describes a choice for `enum`. `enumNames` has the labels in older schemas. */
export function describeEnum(schema: JsonObject): ChoiceField {
  const values = readArray(schema, "enum");
  const names = readStrings(schema, "enumNames");
  const isLabeled = names.length === values.length;
  const options = values
    .map((value, index) => ({ value, label: isLabeled ? toLabel(names[index] ?? "") : optionLabel(value) }))
    .filter(({ value }) => value !== null);
  return { ...factsOf(schema, values.includes(null)), kind: "choice", options };
}

/** Describes a union of alternatives. */
export function describeUnion(
  { variants, base, isNullable }: Alternatives,
  { root, later }: { readonly root: JsonObject; readonly later: DescribeLater },
): UnionField {
  const { facts, constraints } = splitAnnotations(base, isNullable);
  const hasConstraints = Object.keys(constraints).length > 0;
  const labels = labelsOf(variants, root, base);
  return {
    ...facts,
    kind: "union",
    variants: variants.map((variant, index) => ({
      label: labels[index] ?? `Option ${index + 1}`,
      field: later(hasConstraints ? { allOf: [constraints, variant] } : variant),
    })),
  };
}

/** Describes a union for a schema with several types. */
export function describeTypes(
  schema: JsonObject,
  types: readonly SchemaType[],
  { later }: { readonly later: DescribeLater },
): UnionField {
  const { facts, constraints } = splitAnnotations(schema, false);
  return {
    ...facts,
    kind: "union",
    variants: types.map((type) => ({ label: TYPE_LABELS[type], field: later({ ...constraints, type }) })),
  };
}

const TYPE_LABELS: Readonly<Record<SchemaType, string>> = {
  string: "Text",
  number: "Number",
  integer: "Integer",
  boolean: "True or false",
  object: "Object",
  array: "List",
  null: "Null",
};

const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "discriminator",
  "nullable",
  "$schema",
  "$id",
  "$defs",
  "definitions",
  "$comment",
]);

/** Separates what the union shows itself from the constraints that apply to its variants. */
function splitAnnotations(
  schema: JsonObject,
  isNullable: boolean,
): { readonly facts: FieldFacts; readonly constraints: JsonObject } {
  const constraints = Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword));
  const facts = { ...factsOf(schema, isNullable), hints: [] };
  return { facts, constraints: Object.fromEntries(constraints) };
}

/** Returns a different label for each variant: its title, its discriminator, its name, or its type. */
function labelsOf(variants: readonly unknown[], root: JsonObject, base: JsonObject): readonly string[] {
  const resolved = variants.map((variant) => {
    const result = resolveSchema(variant, root);
    const unknown: { readonly schema: JsonObject; readonly name?: string | undefined } = { schema: {} };
    return result.ok ? result : unknown;
  });
  const schemas = resolved.map(({ schema }) => schema);
  const discriminator = discriminatorOf(schemas, base);
  const labels = resolved.map(({ schema, name }) => {
    const title = readString(schema, "title");
    const value = discriminator === undefined ? undefined : constantOf(schema, discriminator);
    const [type] = inferTypes(schema);
    if (title !== undefined && title.trim() !== "") return toLabel(title);
    if (value !== undefined) return optionLabel(value);
    if (name !== undefined) return toLabel(name);
    return Object.hasOwn(schema, "const")
      ? optionLabel(schema["const"])
      : type === undefined
        ? "JSON"
        : TYPE_LABELS[type];
  });
  return labels.map((label, index) =>
    labels.filter((other) => other === label).length > 1 ? `${label} (${index + 1})` : label,
  );
}

/** Finds the member that has a different constant in each variant. */
function discriminatorOf(schemas: readonly JsonObject[], base: JsonObject): string | undefined {
  const declared = readString(readObject(base, "discriminator"), "propertyName");
  if (declared !== undefined) return declared;
  return Object.keys(readObject(schemas[0] ?? {}, "properties")).find((name) => {
    if (!schemas.every((schema) => constantOf(schema, name) !== undefined)) return false;
    return new Set(schemas.map((schema) => constantOf(schema, name))).size === schemas.length;
  });
}

function constantOf(schema: JsonObject, name: string): unknown {
  const member = readObject(readObject(schema, "properties"), name);
  if (Object.hasOwn(member, "const")) return member["const"];
  const values = readArray(member, "enum");
  return values.length === 1 ? values[0] : undefined;
}

function isNullOnly(variant: unknown, root: JsonObject): boolean {
  const resolved = resolveSchema(variant, root);
  if (!resolved.ok) return false;
  const { type, enum: values } = resolved.schema;
  return (
    type === "null" ||
    (Object.hasOwn(resolved.schema, "const") && resolved.schema["const"] === null) ||
    (Array.isArray(values) && values.length === 1 && values[0] === null)
  );
}

const RESTRICTIONS: ReadonlySet<string> = new Set([
  "required",
  "not",
  "minProperties",
  "maxProperties",
  "dependentRequired",
]);

/** Returns true if a schema only restricts the one around it, such as `{ required: ["a"] }`. */
function isRestriction(schema: unknown): boolean {
  return isJsonObject(schema) && Object.keys(schema).every((keyword) => RESTRICTIONS.has(keyword));
}

function optionLabel(value: unknown): string {
  return toLabel(typeof value === "string" ? value : toShortText(value));
}
