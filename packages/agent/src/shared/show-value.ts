/**
 * @fileoverview Short descriptions of wrong values for error messages.
 * @module agent/show-value
 */

/** Describes a value: short text, numbers and booleans as they are, anything else by its type. */
export function showValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : `a value of type ${typeof value}`;
}

const MAX_SHOWN = 40;
