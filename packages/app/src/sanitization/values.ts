/**
 * @fileoverview Parses untrusted JSON and numbers within bounds.
 * @module app/sanitization/values
 */
import { exceedsDepth, readJson } from "@tenon/internal/json";
import { exceedsUtf8 } from "@tenon/internal/utf8";
import { refuseInput } from "./refusal.js";

/** Limits of JSON. */
export interface SanitizeJsonOptions {
  /**
   * Maximum size in UTF-8 bytes.
   * @default 1048576
   */
  readonly maxBytes?: number;
  /**
   * Maximum nesting depth.
   * @default 64
   */
  readonly maxDepth?: number;
}

/**
 * Parses JSON text. Keys that could modify a prototype are dropped. The nesting depth is checked before anything is
 * built.
 *
 * @throws `VALIDATION_ERROR`
 */
export function sanitizeJson(input: unknown, options: SanitizeJsonOptions = {}): unknown {
  const { maxBytes = 1_048_576, maxDepth = 64 } = options;
  if (typeof input !== "string") return refuseInput("JSON", "it must be a string");
  if (exceedsUtf8(input, maxBytes)) return refuseInput("JSON", `it must not exceed ${maxBytes} bytes`);
  if (exceedsDepth(input, maxDepth))
    return refuseInput("JSON", `its nesting depth must not exceed ${maxDepth}`);
  const value = readJson(input);
  return value === undefined ? refuseInput("JSON", "it is malformed", input) : value;
}

/** Limits of a number. */
export interface SanitizeNumberOptions {
  readonly min?: number;
  readonly max?: number;
  /**
   * Accepts only safe integers.
   * @default false
   */
  readonly integer?: boolean;
  /**
   * Clamps a number to its bounds instead of throwing.
   * @default false
   */
  readonly clamp?: boolean;
}

/**
 * Parses a number, or its usual decimal text: not `0x10`, `1_000` or `Infinity`.
 *
 * @throws `VALIDATION_ERROR`
 */
export function sanitizeNumber(input: unknown, options: SanitizeNumberOptions = {}): number {
  const { min = -Infinity, max = Infinity, integer = false, clamp = false } = options;
  if (!(min <= max)) throw new Error(`\`min\` must not be greater than \`max\`; got ${min} and ${max}.`);
  const value = toNumber(input);
  if (!Number.isFinite(value)) {
    return refuseInput(
      "number",
      "it must be a finite decimal number",
      typeof input === "string" ? input : undefined,
    );
  }
  if (integer && !Number.isSafeInteger(value)) return refuseInput("number", "it must be an integer");
  if (value < min) return clamp ? min : refuseInput("number", `it must be at least ${min}`);
  if (value > max) return clamp ? max : refuseInput("number", `it must be at most ${max}`);
  return value + 0; // turns -0 into 0
}

function toNumber(input: unknown): number {
  if (typeof input === "number") return input;
  if (typeof input !== "string" || input.length > 64) return Number.NaN;
  const text = input.trim();
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
}
