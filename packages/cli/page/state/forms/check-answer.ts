/**
 * @fileoverview Checks the answer to a form of the server. Its schema is flat: an object whose members are scalars or lists
 * of choices. The server checks the answer again.
 * @module cli/page-app/state/forms/check-answer
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Problem } from "../../../src/page/protocol.js";

/** Returns the problems of an answer. */
export function checkAnswer(schema: unknown, value: unknown): readonly Problem[] {
  if (!isJsonObject(value)) return [{ path: [], message: "The answer must be an object." }];
  if (!isJsonObject(schema)) return [];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const missing = required
    .filter((name) => typeof name === "string")
    .filter((name) => !Object.hasOwn(value, name) || value[name] === undefined)
    .map((name) => ({ path: [name], message: "A value is required." }));
  const wrong = Object.entries(properties).flatMap(([name, property]) => {
    const message =
      Object.hasOwn(value, name) && isJsonObject(property) ? findProblem(property, value[name]) : undefined;
    return message === undefined ? [] : [{ path: [name], message }];
  });
  return [...missing, ...wrong];
}

function findProblem(schema: JsonObject, value: unknown): string | undefined {
  if (typeof value === "string") {
    const length = Array.from(value).length;
    return checkRange(length, { min: schema["minLength"], max: schema["maxLength"], unit: " characters" });
  }
  if (typeof value === "number") {
    if (schema["type"] === "integer" && !Number.isInteger(value)) return "Must be an integer.";
    return checkRange(value, { min: schema["minimum"], max: schema["maximum"], unit: "" });
  }
  if (Array.isArray(value))
    return checkRange(value.length, { min: schema["minItems"], max: schema["maxItems"], unit: " items" });
  return undefined;
}

interface Range {
  readonly min: unknown;
  readonly max: unknown;
  readonly unit: string;
}

function checkRange(size: number, { min, max, unit }: Range): string | undefined {
  if (typeof min === "number" && size < min) return `Must be at least ${min}${unit}; got ${size}.`;
  return typeof max === "number" && size > max ? `Must be at most ${max}${unit}; got ${size}.` : undefined;
}
