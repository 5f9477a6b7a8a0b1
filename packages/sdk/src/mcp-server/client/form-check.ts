/**
 * @fileoverview Checks the content of a form against the requested schema. MCP allows only flat schemas with primitive
 * fields and lists of choices. The messages have the form that the official SDK's validator uses.
 * @module sdk/mcp-server/client/form-check
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";

/** Describes everything in which the content does not match the schema. Returns `undefined` if it matches. */
export function describeMismatch(schema: JsonObject, content: JsonObject): string | undefined {
  const { properties, required } = schema;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const missing = names
    .filter((name) => !Object.hasOwn(content, name))
    .map((name) => `data must have required property '${name}'`);
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  const wrong = fields.flatMap(([name, field]) =>
    isJsonObject(field) && Object.hasOwn(content, name)
      ? problemsOf(field, content[name]).map((problem) => `data/${name}${problem}`)
      : [],
  );
  const all = [...missing, ...wrong];
  return all.length === 0 ? undefined : all.join(", ");
}

/** Returns the problems of one field, each with the path inside the field. */
function problemsOf(field: JsonObject, value: unknown): readonly string[] {
  const { type } = field;
  if (typeof type === "string" && !(TYPES[type]?.(value) ?? true)) return [` must be ${type}`];
  if (Array.isArray(value)) return listProblems(field, value);
  const choices = choicesOf(field);
  return [
    ...(typeof value === "string" ? textProblems(field, value) : []),
    ...(typeof value === "number" ? numberProblems(field, value) : []),
    ...(choices === undefined || choices.includes(value) ? [] : [NOT_ALLOWED]),
  ];
}

const NOT_ALLOWED = " must be equal to one of the allowed values";

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
};

function textProblems({ minLength, maxLength, format }: JsonObject, value: string): readonly string[] {
  // JSON Schema counts code points, not UTF-16 units.
  const { length } = Array.from(value);
  const check = typeof format === "string" ? FORMATS[format] : undefined;
  return [
    ...(typeof minLength === "number" && length < minLength
      ? [` must NOT have fewer than ${minLength} characters`]
      : []),
    ...(typeof maxLength === "number" && length > maxLength
      ? [` must NOT have more than ${maxLength} characters`]
      : []),
    ...(check === undefined || check(value) ? [] : [` must match format "${String(format)}"`]),
  ];
}

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  email: (value) => value.length <= 320 && /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(value),
  uri: (value) => isUrl(value),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/u.test(value) && isDate(value),
  "date-time": (value) => /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}/u.test(value) && isDate(value),
};

/** Returns true for an existing date. JavaScript accepts February 30 and moves it to March. */
function isDate(value: string): boolean {
  const day = value.slice(0, 10);
  const moment = new Date(`${day}T00:00:00Z`);
  return (
    !Number.isNaN(Date.parse(value)) &&
    !Number.isNaN(moment.getTime()) &&
    moment.toISOString().startsWith(day)
  );
}

function numberProblems({ minimum, maximum }: JsonObject, value: number): readonly string[] {
  return [
    ...(typeof minimum === "number" && value < minimum ? [` must be >= ${minimum}`] : []),
    ...(typeof maximum === "number" && value > maximum ? [` must be <= ${maximum}`] : []),
  ];
}

function listProblems(
  { minItems, maxItems, items }: JsonObject,
  value: readonly unknown[],
): readonly string[] {
  const choices = isJsonObject(items) ? choicesOf(items) : undefined;
  return [
    ...(typeof minItems === "number" && value.length < minItems
      ? [` must NOT have fewer than ${minItems} items`]
      : []),
    ...(typeof maxItems === "number" && value.length > maxItems
      ? [` must NOT have more than ${maxItems} items`]
      : []),
    ...(choices === undefined
      ? []
      : value.flatMap((item, index) => (choices.includes(item) ? [] : [`/${index}${NOT_ALLOWED}`]))),
  ];
}

/** Returns the allowed values of a field: an `enum`, or constants with titles. */
function choicesOf({ enum: values, oneOf, anyOf }: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(values)) return values;
  const titled = oneOf ?? anyOf;
  return Array.isArray(titled)
    ? titled.map((one) => (isJsonObject(one) ? one["const"] : undefined))
    : undefined;
}
