/**
 * @fileoverview Short descriptions of rejected values for error messages.
 * @module agent/show-value
 */
import { z } from "zod";

/** Describes a value: strings (at most 40 characters), numbers, and booleans literally, anything else by type. */
export function showValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  }
  if (value instanceof z.ZodType) return `z.${value.def.type}()`;
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : String(value);
}

/** Describes a missing or invalid field of a definition, as a sentence without a period. */
export function describeField(field: string, expected: string, value: unknown): string {
  if (value === undefined) return `\`${field}\` is missing`;
  return `\`${field}\` must be ${expected}; got ${showValue(value)}`;
}

const MAX_SHOWN = 40;
