/**
 * @fileoverview JSON values: the names of their types, and a comparison with bounded cost.
 * @module agent/tools/json-schema/values
 */
import { isJsonObject } from "@tenon/internal/json";

/** Number of steps that a check may still take. Negative if the limit was exceeded. */
export interface StepBudget {
  left: number;
}

/** Returns the JSON Schema types that a value has. Whole numbers have two. */
export function toTypeNames(value: unknown): readonly unknown[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["number", "integer"] : ["number"];
  return [typeof value];
}

/** Returns the words for a JSON Schema type in an error message. */
export function nameOfType(type: unknown): string {
  return TYPE_WORDS.get(type) ?? "a value of a different type";
}

const TYPE_WORDS: ReadonlyMap<unknown, string> = /* @__PURE__ */ new Map([
  ["string", "text"],
  ["number", "a number"],
  ["integer", "a whole number"],
  ["boolean", "true or false"],
  ["array", "an array"],
  ["object", "an object"],
  ["null", "null"],
]);

/** Compares two JSON values. Returns true if the budget is exceeded. */
export function isSame(one: unknown, other: unknown, budget: StepBudget): boolean {
  if (--budget.left < 0 || one === other) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSame(item, other[index], budget));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name], budget));
}
