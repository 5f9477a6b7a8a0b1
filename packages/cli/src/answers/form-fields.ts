/**
 * @fileoverview Form fields that a server asks the user to fill in, and the conversion of text to field values.
 * @module cli/answers/form-fields
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import { choicesOf, propertiesOf } from "../describe/arguments.js";

/** Form field. */
export interface FormField {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  /** Allowed values with their titles. */
  readonly choices: readonly FieldChoice[] | undefined;
}

/** Allowed field value. */
export interface FieldChoice {
  readonly value: unknown;
  readonly title: string;
}

/** Field value, or the reason the text is not valid, such as `must be a number`. */
export type FieldValue =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Reads the fields from a form's schema. */
export function readFields(schema: unknown): readonly FormField[] {
  const required: unknown = isJsonObject(schema) ? schema["required"] : undefined;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(propertiesOf(schema)).flatMap(([name, field]) =>
    isJsonObject(field)
      ? [{ name, schema: field, isRequired: names.includes(name), choices: readChoices(field) }]
      : [],
  );
}

/** Describes the values that a field accepts, such as `number` or `red, green`. */
export function describeField({ schema, choices }: FormField): string {
  const { type, format } = schema;
  if (choices !== undefined) {
    const values = choices.map(({ value }) => oneLine(String(value), 60)).join(", ");
    return oneLine(type === "array" ? `any of ${values}` : values);
  }
  if (type === "boolean") return "yes or no";
  if (type === "string") return typeof format === "string" ? oneLine(format, 40) : "text";
  return typeof type === "string" ? oneLine(type, 40) : "text";
}

/** Converts the text for a field to its value. */
export function parseField(field: FormField, text: string): FieldValue {
  const { schema, choices } = field;
  switch (schema["type"]) {
    case "boolean": {
      const value = BOOLEANS.get(text.trim().toLowerCase());
      return value === undefined ? fail("must be yes or no") : { ok: true, value };
    }
    case "number":
    case "integer":
      return parseNumber(schema, text.trim());
    case "array":
      return parseSelection(field, text);
    default:
      return choices === undefined ? checkText(schema, text) : parseChoice(choices, text.trim());
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["y", true],
  ["true", true],
  ["no", false],
  ["n", false],
  ["false", false],
]);

function readChoices(field: JsonObject): readonly FieldChoice[] | undefined {
  const source = field["type"] === "array" && isJsonObject(field["items"]) ? field["items"] : field;
  const values = choicesOf(source);
  const titled: unknown = source["oneOf"] ?? source["anyOf"];
  const titles: unknown = Array.isArray(titled)
    ? titled.map((one: unknown) => (isJsonObject(one) ? one["title"] : undefined))
    : source["enumNames"];
  return values?.map((value, index) => {
    const title: unknown = Array.isArray(titles) ? titles[index] : undefined;
    return { value, title: typeof title === "string" ? title : String(value) };
  });
}

function parseNumber(schema: JsonObject, text: string): FieldValue {
  const value = text === "" ? NaN : Number(text);
  const isInteger = schema["type"] === "integer";
  if (!Number.isFinite(value)) return fail(`must be ${isInteger ? "an integer" : "a number"}`);
  if (isInteger && !Number.isInteger(value)) return fail("must be an integer");
  return checkRange(value, { least: schema["minimum"], most: schema["maximum"], unit: "" }) ?? ok(value);
}

/** Accepts a value, a title, or a choice's number. Values win, because they may also be numbers. */
function parseChoice(choices: readonly FieldChoice[], text: string): FieldValue {
  const wanted = text.toLowerCase();
  const found =
    choices.find(({ value }) => String(value) === text) ??
    choices.find(({ value, title }) => [String(value).toLowerCase(), title.toLowerCase()].includes(wanted)) ??
    (/^\d{1,4}$/.test(text) ? choices[Number(text) - 1] : undefined);
  if (found !== undefined) return ok(found.value);
  return fail(`must be one of ${choices.map(({ value }) => oneLine(String(value), 60)).join(", ")}`);
}

function parseSelection({ schema, choices = [] }: FormField, text: string): FieldValue {
  const words = text.split(",").map((word) => word.trim());
  const values: unknown[] = [];
  for (const word of words.filter((one) => one !== "")) {
    const parsed = parseChoice(choices, word);
    if (!parsed.ok) return fail(`must contain only valid values; each ${parsed.problem}`);
    values.push(parsed.value);
  }
  const range = { least: schema["minItems"], most: schema["maxItems"], unit: "value" };
  return checkRange(values.length, range) ?? ok(values);
}

function checkText(schema: JsonObject, text: string): FieldValue {
  const range = { least: schema["minLength"], most: schema["maxLength"], unit: "character" };
  return checkRange(Array.from(text).length, range) ?? checkFormat(schema["format"], text) ?? ok(text);
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d/i,
};

function checkFormat(format: unknown, text: string): FieldValue | undefined {
  const pattern = typeof format === "string" && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return pattern === undefined || pattern.test(text) ? undefined : fail(`must be a valid ${String(format)}`);
}

interface Range {
  readonly least: unknown;
  readonly most: unknown;
  /** Counted unit in the singular, or an empty string if the value itself is compared. */
  readonly unit: string;
}

function checkRange(size: number, { least, most, unit }: Range): FieldValue | undefined {
  const verb = unit === "" ? "must be" : "must have";
  const describe = (word: string, limit: number) => {
    const units = unit === "" ? "" : ` ${unit}${limit === 1 ? "" : "s"}`;
    return fail(`${verb} at ${word} ${limit}${units}`);
  };
  if (typeof least === "number" && size < least) return describe("least", least);
  if (typeof most === "number" && size > most) return describe("most", most);
  return undefined;
}

function ok(value: unknown): FieldValue {
  return { ok: true, value };
}

function fail(problem: string): FieldValue {
  return { ok: false, problem };
}
