/**
 * @fileoverview Decides if a value can be edited in a field, and which variant of a union a value has.
 * @module ui/form/model/fit
 */
import { canonicalJson, isJsonObject } from "@tenon/internal/json";
import type { Field, LazyField, ObjectField, UnionField } from "./field.js";

/** State of a field: not set, null, a value that the field can show, or a value of another type. */
export type FieldState = "unset" | "null" | "set" | "misfit";

/** Returns the state of a field. */
export function stateOf(field: Field, value: unknown): FieldState {
  if (value === undefined) return "unset";
  if (value === null && field.isNullable) return "null";
  return canShow(field, value) ? "set" : "misfit";
}

/** Returns true if a field can show a value. The value may still violate constraints. */
export function canShow(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case "text":
    case "file":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return field.options.some((option) => isEqual(option.value, value));
    case "choices":
      return Array.isArray(value) && isSelection(field.options, value);
    case "const":
      return isEqual(field.value, value);
    case "object":
      return isJsonObject(value);
    case "list":
      return Array.isArray(value);
    case "union":
    case "json":
      return true;
  }
}

/** Returns the index of the variant that fits a value best. Returns 0 if none does. */
export function matchVariant({ variants }: UnionField, value: unknown): number {
  let best = { index: 0, score: Number.NEGATIVE_INFINITY };
  const work = { left: MAX_WORK };
  for (const [index, variant] of variants.entries()) {
    const score = scoreOf(variant.field, value, work);
    if (score > best.score) best = { index, score };
  }
  return best.index;
}

/** Returns true if two JSON values are equal. Returns false for values that nest too deeply to be compared. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object") return false;
  const text = toText(a);
  return text !== undefined && text === toText(b);
}

/** Returns a text that is the same for equal values, or `undefined` for values that nest too deeply. */
function toText(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    // The stack is exhausted.
    return undefined;
  }
}

const MISFIT = -1_000;
/** Fields that are rated to find a variant. A union whose variants contain the union has countless ones. */
const MAX_WORK = 1_000;

/** Fields that may still be rated. */
interface Work {
  left: number;
}

/** Rates how well a value fits a field. Constants and choices decide, then the names of members. */
function scoreOf(describe: LazyField, value: unknown, work: Work): number {
  if (work.left <= 0) return MISFIT;
  work.left--;
  const field = describe();
  if (value === null && field.isNullable) return 1;
  if (field.kind === "union")
    return Math.max(MISFIT, ...field.variants.map((one) => scoreOf(one.field, value, work)));
  if (!canShow(field, value)) return MISFIT;
  if (field.kind === "object" && isJsonObject(value)) return scoreMembers(field, value, work);
  // Any JSON fits, but a specific field fits better.
  return field.kind === "json" ? 0 : 2;
}

function scoreMembers(field: ObjectField, value: Readonly<Record<string, unknown>>, work: Work): number {
  let score = 2;
  for (const { name, isRequired, field: member } of field.properties) {
    if (!Object.hasOwn(value, name)) {
      score -= isRequired ? 2 : 0;
    } else if (work.left > 0) {
      work.left--;
      const described = member();
      const isDecisive = described.kind === "const" || described.kind === "choice";
      if (!isDecisive) score += canShow(described, value[name]) ? 1 : -1;
      else score += canShow(described, value[name]) ? 10 : -100;
    }
  }
  const known = new Set(field.properties.map(({ name }) => name));
  const extras = Object.keys(value).filter((name) => !known.has(name)).length;
  return field.extras === undefined ? score - extras : score;
}

/** Returns true if every element is a different option. */
function isSelection(options: readonly { readonly value: unknown }[], values: readonly unknown[]): boolean {
  const texts = values.map(toText);
  const allowed = new Set(options.map((option) => toText(option.value)));
  return (
    new Set(texts).size === texts.length && texts.every((text) => text !== undefined && allowed.has(text))
  );
}
