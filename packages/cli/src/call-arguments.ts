/**
 * @fileoverview Parses the arguments of a call: a JSON object, or pairs converted to the types of the tool's schema.
 * @module cli/call-arguments
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { parseFrame } from "tenon/protocol";
import { CLIENT_LIMITS } from "./client/transport.js";
import { usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/command-line/text";

/** Parses arguments given as JSON. @throws CliError if the text is not a JSON object */
export function parseJsonArguments(text: string): JsonObject {
  const parsed = parseFrame(text, CLIENT_LIMITS);
  if (!parsed.ok) throw usageError(`--json cannot be parsed. ${parsed.reason}`);
  if (!isJsonObject(parsed.value)) throw usageError("--json must be a JSON object.");
  return parsed.value;
}

/** Parses `name=value` pairs. The returned function converts their values to the types of a schema. @throws CliError */
export function parsePairs(words: readonly string[]): (schema: unknown) => JsonObject {
  const pairs = words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw usageError(`"${oneLine(word, 40)}" is not an argument. Write arguments as name=value.`);
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`The argument "${oneLine(twice, 40)}" is given more than once.`);
  return (schema) => {
    const properties = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
    return Object.fromEntries(
      pairs.map(([name, text]) => [
        name,
        toValue(text, Object.hasOwn(properties, name) ? properties[name] : undefined),
      ]),
    );
  };
}

/** Converts text to the type of its schema. Text that does not fit stays text, and the server rejects it. */
function toValue(text: string, schema: unknown): unknown {
  const type = isJsonObject(schema) ? schema["type"] : undefined;
  if (type === "string") return text;
  const parsed = parseFrame(text, CLIENT_LIMITS);
  const value = parsed.ok ? parsed.value : text;
  if (typeof type !== "string") {
    // Without a type, or with several, valid JSON is used as JSON, unless its type is not allowed and a string is.
    return Array.isArray(type) &&
      type.includes("string") &&
      typeof value !== "string" &&
      !type.includes(typeOf(value))
      ? text
      : value;
  }
  return value;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
