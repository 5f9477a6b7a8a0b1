/**
 * @fileoverview Facts about a field that every kind has: title, description, default, example, and constraints.
 * @module ui/form/model/facts
 */
import type { JsonObject } from "@tenon/internal/json";
import { oneLine, stripControls } from "@tenon/internal/text";
import { formatBytes, formatCount, formatQuantity } from "../../support/format.js";
import type { FieldFacts } from "./field.js";
import { readArray, readNumber, readString, readTypes } from "./schema.js";

const MAX_TITLE = 120;
const MAX_DESCRIPTION = 2_000;
const MAX_EXAMPLE = 100;

/** Returns the facts of a schema. Texts are cut and have no control characters, because servers are not trusted. */
export function factsOf(schema: JsonObject, isNullable = false): FieldFacts {
  const title = readString(schema, "title");
  const description = readString(schema, "description");
  const defaultValue = schema["default"];
  return {
    title: title === undefined || title.trim() === "" ? undefined : toLabel(title),
    description:
      description === undefined ? undefined : cut(stripControls(description).trim(), MAX_DESCRIPTION),
    defaultValue,
    example: exampleOf(schema),
    isNullable: isNullable || readTypes(schema).includes("null") || schema["nullable"] === true,
    isDeprecated: schema["deprecated"] === true,
    hints: hintsOf(schema),
  };
}

/** Returns a name for display: on one line, cut, and never empty. */
export function toLabel(name: string): string {
  const label = oneLine(name, MAX_TITLE);
  return label === "" ? '""' : label;
}

/** Returns a value as a short text: a string as it is, and other values as JSON. */
export function toShortText(value: unknown): string {
  return oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), MAX_EXAMPLE);
}

function exampleOf(schema: JsonObject): string | undefined {
  const [example = schema["example"]] = readArray(schema, "examples");
  return example === undefined ? undefined : toShortText(example);
}

function hintsOf(schema: JsonObject): readonly string[] {
  const read = (keyword: string) => readNumber(schema, keyword);
  const format = readString(schema, "format");
  const pattern = readString(schema, "pattern");
  return [
    ...range(read("minLength"), read("maxLength"), (count) => formatQuantity(count, "character")),
    ...range(bound(read("minimum")), bound(read("maximum")), formatCount),
    ...hint("more than", read("exclusiveMinimum")),
    ...hint("less than", read("exclusiveMaximum")),
    ...hint("multiple of", read("multipleOf")),
    ...range(read("minItems"), read("maxItems"), (count) => formatQuantity(count, "item")),
    ...range(read("minProperties"), read("maxProperties"), (count) => formatQuantity(count, "member")),
    ...(schema["uniqueItems"] === true ? ["no duplicates"] : []),
    ...(format === undefined ? [] : [`format ${oneLine(format, 40)}`]),
    ...(pattern === undefined ? [] : [`pattern ${oneLine(pattern, 80)}`]),
  ];
}

/** Some libraries limit each integer to the exact ones, which tells the user nothing. */
function bound(value: number | undefined): number | undefined {
  return Math.abs(value ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : value;
}

function range(
  min: number | undefined,
  max: number | undefined,
  show: (value: number) => string,
): readonly string[] {
  if (min !== undefined && min === max) return [`exactly ${show(min)}`];
  return [
    ...(min === undefined ? [] : [`at least ${show(min)}`]),
    ...(max === undefined ? [] : [`at most ${show(max)}`]),
  ];
}

function hint(words: string, value: number | undefined): readonly string[] {
  return value === undefined ? [] : [`${words} ${formatCount(value)}`];
}

/** Returns the hint for the size of a file. */
export function fileHint(maxBytes: number): string {
  return `at most ${formatBytes(maxBytes)}`;
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
