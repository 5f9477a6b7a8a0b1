/**
 * @fileoverview Describes unexpected values and schemas for error messages.
 * @module internal/kind-of
 */
import type { JsonObject } from "./json.js";
import { printable } from "./text.js";

/** Describes a value's type, such as `a number` or `an empty string`. Never includes the value itself. */
export function kindOf(value: unknown): string {
  if (value === "") return "an empty string";
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Formats an option's value: strings are quoted and truncated, and objects are described by type. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return `"${printable(value)}"`;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : kindOf(value);
}

/** Describes a JSON Schema's type, such as `a string schema` or `an array schema`. */
export function schemaKindOf({ type }: JsonObject): string {
  if (typeof type !== "string") return "a schema without a single `type`";
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type} schema`;
}
