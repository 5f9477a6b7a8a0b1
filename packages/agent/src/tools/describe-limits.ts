/**
 * @fileoverview Describes the limits of a JSON Schema in words, for models that do not receive the schema itself.
 * @module agent/tools/describe-limits
 */
import type { JsonObject } from "@tenon/internal/json";

/** Describes a schema's range, length, format, and pattern. Each limit is one phrase, which is not sanitized. */
export function describeLimits(schema: JsonObject): readonly string[] {
  const { type, pattern, format } = schema;
  const phrases = [
    type === "integer" ? "Whole number" : "",
    type === "integer" || type === "number" ? describeRange(readNumberLimits(schema), "") : "",
    type === "string" ? describeRange(readLimits(schema, "minLength", "maxLength"), " characters") : "",
    type === "array" ? describeRange(readLimits(schema, "minItems", "maxItems"), " elements") : "",
    type === "string" && isShort(format) ? `Format: ${format}` : "",
    type === "string" && isShort(pattern) ? `Must match the pattern ${pattern}` : "",
  ];
  return phrases.filter((phrase) => phrase !== "");
}

const MAX_TEXT = 200;

interface Limits {
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  readonly above?: number | undefined;
  readonly below?: number | undefined;
}

function readLimits(schema: JsonObject, least: string, most: string): Limits {
  return { least: toLimit(schema[least]), most: toLimit(schema[most]) };
}

function readNumberLimits(schema: JsonObject): Limits {
  return {
    ...readLimits(schema, "minimum", "maximum"),
    above: toLimit(schema["exclusiveMinimum"]),
    below: toLimit(schema["exclusiveMaximum"]),
  };
}

/** Returns a limit, or `undefined` if it says nothing: schema libraries add the limits of safe integers. */
function toLimit(value: unknown): number | undefined {
  const isLimit = typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return isLimit ? value : undefined;
}

function describeRange({ least, most, above, below }: Limits, unit: string): string {
  if (least !== undefined && most !== undefined) return `From ${least} to ${most}${unit}`;
  const parts = [
    least === undefined ? "" : `at least ${least}${unit}`,
    most === undefined ? "" : `at most ${most}${unit}`,
    above === undefined ? "" : `more than ${above}${unit}`,
    below === undefined ? "" : `less than ${below}${unit}`,
  ].filter((part) => part !== "");
  const text = parts.join(" and ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_TEXT;
}
