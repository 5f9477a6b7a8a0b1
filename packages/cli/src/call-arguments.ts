/**
 * @fileoverview The arguments of a call: a JSON object, or pairs whose values take the types that the tool's schema has.
 * @module cli/call-arguments
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { parseFrame } from "tenon/protocol";
import { CLIENT_LIMITS } from "./client/transport.js";
import { usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/command-line/text";

/** Reads arguments given as JSON. @throws CliError where it is no object */
export function readArgumentText(text: string): JsonObject {
  const parsed = parseFrame(text, CLIENT_LIMITS);
  if (!parsed.ok) throw usageError(`--json cannot be read: ${parsed.reason}`);
  if (!isJsonObject(parsed.value)) throw usageError("--json must be a JSON object");
  return parsed.value;
}

/** Reads `name=value` pairs now, and gives their values types once the schema is there. @throws CliError */
export function readPairs(words: readonly string[]): (schema: unknown) => JsonObject {
  const pairs = words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw usageError(`Arguments look like name=value, not "${oneLine(word, 40)}"`);
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`The argument "${oneLine(twice, 40)}" is given more than once`);
  return (schema) => {
    const properties = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
    return Object.fromEntries(
      pairs.map(([name, text]) => [
        name,
        readValue(text, Object.hasOwn(properties, name) ? properties[name] : undefined),
      ]),
    );
  };
}

/** A value of the type that its schema names; text that does not fit stays text, for the server to refuse. */
function readValue(text: string, schema: unknown): unknown {
  const type = isJsonObject(schema) ? schema["type"] : undefined;
  if (type === "string") return text;
  const parsed = parseFrame(text, CLIENT_LIMITS);
  const value = parsed.ok ? parsed.value : text;
  if (typeof type !== "string") {
    // Without a type, or with several, what reads as JSON is JSON; a text that may be text stays what it was.
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
