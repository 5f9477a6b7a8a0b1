/**
 * @fileoverview JSON and numbers from strangers, within bounds.
 * @module app/sanitization/values
 */
import { exceedsDepth, readJson } from "@tenon/internal/json";
import { exceedsUtf8 } from "@tenon/internal/utf8";
import { refuseInput } from "./refusal.js";

/** The bounds of JSON. */
export interface SanitizeJsonOptions {
  /**
   * Most bytes, in UTF-8.
   * @default 1048576
   */
  readonly maxBytes?: number;
  /**
   * Deepest nesting.
   * @default 64
   */
  readonly maxDepth?: number;
}

/**
 * The value of JSON text. Keys that reach for a prototype are left out of it; its nesting is counted before anything
 * is built.
 *
 * @throws `VALIDATION_ERROR`
 */
export function sanitizeJson(input: unknown, options: SanitizeJsonOptions = {}): unknown {
  const { maxBytes = 1_048_576, maxDepth = 64 } = options;
  if (typeof input !== "string") return refuseInput("JSON", "it must be text");
  if (exceedsUtf8(input, maxBytes)) return refuseInput("JSON", `it has more than ${maxBytes} bytes`);
  if (exceedsDepth(input, maxDepth)) return refuseInput("JSON", `it nests deeper than ${maxDepth}`);
  const value = readJson(input);
  return value === undefined ? refuseInput("JSON", "it is malformed", input) : value;
}

/** The bounds of a number. */
export interface SanitizeNumberOptions {
  readonly min?: number;
  readonly max?: number;
  /**
   * Whether it must be a whole number, and one that is exact.
   * @default false
   */
  readonly integer?: boolean;
  /**
   * Whether a number out of bounds becomes the nearest one within, instead of an error.
   * @default false
   */
  readonly clamp?: boolean;
}

/**
 * A number, from a number or from its usual decimal text: no `0x10`, no `1_000`, no `Infinity`.
 *
 * @throws `VALIDATION_ERROR`
 */
export function sanitizeNumber(input: unknown, options: SanitizeNumberOptions = {}): number {
  const { min = -Infinity, max = Infinity, integer = false, clamp = false } = options;
  if (!(min <= max)) throw new Error("min must not be more than max");
  const value = toNumber(input);
  if (!Number.isFinite(value)) {
    return refuseInput(
      "number",
      "it must be a finite decimal number",
      typeof input === "string" ? input : undefined,
    );
  }
  if (integer && !Number.isSafeInteger(value)) return refuseInput("number", "it must be a whole number");
  if (value < min) return clamp ? min : refuseInput("number", `it must be ${min} or more`);
  if (value > max) return clamp ? max : refuseInput("number", `it must be ${max} or less`);
  return value + 0; // without the sign of a negative zero
}

function toNumber(input: unknown): number {
  if (typeof input === "number") return input;
  if (typeof input !== "string" || input.length > 64) return Number.NaN;
  const text = input.trim();
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
}
