/**
 * @fileoverview Parses untrusted JSON and numbers within limits.
 * @module app/sanitization/values
 */
import { exceedsDepth, readJson } from "@tenon/internal/json";
import { exceedsUtf8 } from "@tenon/internal/utf8";
import { refuseInput, typeName } from "./refusal.js";

/** Options for `sanitizeJson`. */
export interface SanitizeJsonOptions {
  /**
   * Maximum size of the text in UTF-8 bytes.
   * @default 1048576
   */
  readonly maxBytes?: number;
  /**
   * Maximum nesting depth of objects and arrays.
   * @default 64
   */
  readonly maxDepth?: number;
}

/**
 * Parses JSON text. Keys that could modify a prototype are dropped. Size and nesting depth are checked before parsing.
 *
 * @throws {McpError} `VALIDATION_ERROR` if the text is malformed or exceeds a limit
 */
export function sanitizeJson(input: unknown, options: SanitizeJsonOptions = {}): unknown {
  const { maxBytes = 1_048_576, maxDepth = 64 } = options;
  if (typeof input !== "string") return refuseInput("JSON", `it must be a string; got ${typeName(input)}`);
  if (exceedsUtf8(input, maxBytes)) return refuseInput("JSON", `it is too large (limit: ${maxBytes} bytes)`);
  if (exceedsDepth(input, maxDepth))
    return refuseInput("JSON", `it is nested deeper than ${maxDepth} levels`);
  const value = readJson(input);
  return value === undefined ? refuseInput("JSON", "it is malformed", input) : value;
}

/** Options for `sanitizeNumber`. */
export interface SanitizeNumberOptions {
  /** Smallest allowed value. @default -Infinity */
  readonly min?: number;
  /** Largest allowed value. @default Infinity */
  readonly max?: number;
  /**
   * Accepts only safe integers.
   * @default false
   */
  readonly integer?: boolean;
  /**
   * Returns the nearest bound for an out-of-bounds number, instead of throwing.
   * @default false
   */
  readonly clamp?: boolean;
}

/**
 * Parses a number or its decimal text. Other notations, such as `0x10`, `1_000`, and `Infinity`, are rejected.
 *
 * @throws {McpError} `VALIDATION_ERROR` if the input is not a finite number or is out of bounds
 */
export function sanitizeNumber(input: unknown, options: SanitizeNumberOptions = {}): number {
  const { min = -Infinity, max = Infinity, integer = false, clamp = false } = options;
  if (!(min <= max)) throw new Error(`\`min\` must not be greater than \`max\`; got ${min} and ${max}.`);
  const value = toNumber(input);
  if (!Number.isFinite(value)) {
    return refuseNumber("it must be a finite decimal number", input);
  }
  if (integer && !Number.isSafeInteger(value)) return refuseNumber("it must be a safe integer", input);
  if (value < min) return clamp ? min : refuseNumber(`it must be at least ${min}`, input);
  if (value > max) return clamp ? max : refuseNumber(`it must be at most ${max}`, input);
  return value + 0; // turns -0 into 0
}

function refuseNumber(problem: string, input: unknown): never {
  if (typeof input === "string") return refuseInput("number", problem, input);
  const got = typeof input === "number" ? String(input) : typeName(input);
  return refuseInput("number", `${problem}; got ${got}`);
}

function toNumber(input: unknown): number {
  if (typeof input === "number") return input;
  if (typeof input !== "string" || input.length > 64) return Number.NaN;
  const text = input.trim();
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
}
