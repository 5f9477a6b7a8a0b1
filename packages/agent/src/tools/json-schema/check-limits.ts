/**
 * @fileoverview Limits of numbers, texts, and arrays in a JSON Schema.
 * @module agent/tools/json-schema/check-limits
 */
import type { JsonObject } from "@tenon/internal/json";
import type { StepBudget } from "./values.js";

/** Returns the problem with a number, or `undefined` if it is within the schema's limits. */
export function findNumberIssue(schema: JsonObject, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // In draft 4, the exclusive limits were flags.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  if (typeof above === "number" && value <= above) return `Expected more than ${above}; got ${value}`;
  if (typeof below === "number" && value >= below) return `Expected less than ${below}; got ${value}`;
  const range = findRangeIssue({ least: minimum, most: maximum, unit: "" }, value);
  if (range !== undefined) return range;
  if (typeof multipleOf !== "number" || multipleOf <= 0 || isMultiple(value, multipleOf)) return undefined;
  return `Expected a multiple of ${multipleOf}; got ${value}`;
}

/** Returns the problem with a text's length, or `undefined` if it is within the schema's limits. */
export function findTextIssue({ minLength, maxLength }: JsonObject, value: string): string | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined;
  return findRangeIssue({ least: minLength, most: maxLength, unit: " characters" }, countCharacters(value));
}

/** Returns the problem with an array's length or repeated elements, or `undefined` if there is none. */
export function findArrayIssue(
  { minItems, maxItems, uniqueItems }: JsonObject,
  value: readonly unknown[],
  budget: StepBudget,
): string | undefined {
  const range = findRangeIssue({ least: minItems, most: maxItems, unit: " elements" }, value.length);
  if (range !== undefined || uniqueItems !== true) return range;
  budget.left -= value.length;
  const texts = budget.left < 0 ? [] : value.map((item) => JSON.stringify(item));
  return new Set(texts).size < texts.length ? "Expected elements that are all different" : undefined;
}

interface Range {
  readonly least: unknown;
  readonly most: unknown;
  /** Word after the numbers, with a space before it. */
  readonly unit: string;
}

function findRangeIssue({ least, most, unit }: Range, value: number): string | undefined {
  if (typeof least === "number" && value < least) return `Expected at least ${least}${unit}; got ${value}`;
  if (typeof most === "number" && value > most) return `Expected at most ${most}${unit}; got ${value}`;
  return undefined;
}

/** Returns true for multiples, including decimal ones such as 0.3 of 0.1, whose division is not exact. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return (
    !Number.isFinite(quotient) ||
    Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient))
  );
}

/** Counts characters as JSON Schema does: a surrogate pair is one. */
function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) pairs++;
  return text.length - pairs;
}
