/**
 * @fileoverview Parses a call's arguments: a JSON object, or `name=value` pairs with the types in the tool's schema.
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
  // The parser calls its input "the message".
  if (!parsed.ok) {
    const hint = parsed.error === "PARSE_ERROR" ? ` ${JSON_EXAMPLE}` : "";
    throw usageError(`${parsed.reason.replace(/^The message/, "--json")}${hint}`);
  }
  const { value } = parsed;
  if (!isJsonObject(value))
    throw usageError(`--json must be a JSON object; got a value of type ${typeOf(value)}.`);
  return value;
}

const JSON_EXAMPLE = `Quote the JSON for your shell: --json '{"a":1}'`;

/** Parses `name=value` pairs. The returned function converts the values to the types in a schema. @throws CliError */
export function parsePairs(words: readonly string[]): (schema: unknown) => JsonObject {
  const pairs = words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw usageError(`Invalid argument "${oneLine(word, 40)}". Write arguments as name=value.`);
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`Argument "${oneLine(twice, 40)}" is specified more than once.`);
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

/** Converts text to the type in its schema. Text that does not fit stays a string, which the server rejects. */
function toValue(text: string, schema: unknown): unknown {
  const type = isJsonObject(schema) ? schema["type"] : undefined;
  if (type === "string") return text;
  const parsed = parseFrame(text, CLIENT_LIMITS);
  const value = parsed.ok ? parsed.value : text;
  if (typeof type !== "string") {
    // Without a single type, valid JSON is used as JSON, unless only the plain string is allowed.
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
