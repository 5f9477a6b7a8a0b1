/**
 * @fileoverview Parses a call's arguments: a JSON object, or `name=value` pairs with the types from the tool's schema.
 * @module cli/call-arguments
 */
import type { Readable } from "node:stream";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type MessageLimits, parseFrame } from "tenon/protocol";
import { kindOf } from "@tenon/internal/kind-of";
import { usageError } from "@tenon/internal/command-line/command";
import { value } from "@tenon/internal/command-line/flags";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { propertiesOf } from "./describe/arguments.js";
import { oneLine } from "@tenon/internal/text";

/** Limits for JSON from the command line and from standard input. */
const JSON_LIMITS: MessageLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  maxValues: 1_000_000,
  maxBatch: 100,
};

/** Flags for tool or prompt arguments. */
export const INPUT_ARGS = {
  args: value("object", "Arguments as a JSON object. Use - to read them from standard input"),
};

/** Advice for flags that users try instead of `--args`. */
export const INPUT_HINTS: Readonly<Record<string, string>> = {
  json: `--json selects JSON output. Pass arguments with --args '{…}'.`,
  input: "Pass arguments as name=value, or with --args '{…}'.",
  arguments: "Pass arguments as name=value, or with --args '{…}'.",
};

/** Reads the value of `--args`. @throws {CliError} if it is not a JSON object */
export async function readArguments(given: string | undefined, stdin: Readable): Promise<JsonObject> {
  if (given === undefined) return {};
  return parseJsonObject(given === "-" ? await readAll(stdin) : given, "--args");
}

/** Parses a flag whose value is a JSON object. @throws {CliError} if the text is not a JSON object */
export function parseJsonObject(text: string, flag: string): JsonObject {
  const parsed = parseFrame(text, JSON_LIMITS);
  // The parser calls its input "the message".
  if (!parsed.ok) {
    const hint = parsed.error === "PARSE_ERROR" ? ` Quote the JSON for your shell: ${flag} '{"a":1}'` : "";
    throw usageError(`${parsed.reason.replace(/^The message/, () => flag)}${hint}`);
  }
  const { value: object } = parsed;
  if (!isJsonObject(object)) throw usageError(`${flag} must be a JSON object; got ${kindOf(object)}.`);
  return object;
}

/** `name=value` pairs from the command line. */
export interface Pairs {
  readonly names: readonly string[];
  /** Values as text, by name. */
  readonly texts: JsonObject;
  /** Converts the values to the types in a schema. */
  readonly toArguments: (schema: unknown) => JsonObject;
}

/** Parses `name=value` pairs. @throws {CliError} */
export function parsePairs(words: readonly string[]): Pairs {
  const pairs = words.map((word) => {
    const at = word.indexOf("=");
    if (word === "-" || /^[{[]/.test(word))
      throw usageError(`${JSON_WORD} Write: --args ${word === "-" ? "-" : "'{…}'"}`);
    if (at < 1) throw usageError(`Invalid argument "${oneLine(word, 40)}". Write arguments as name=value.`);
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`Argument "${oneLine(twice, 40)}" is specified more than once.`);
  return {
    names,
    texts: Object.fromEntries(pairs),
    toArguments(schema) {
      const properties = propertiesOf(schema);
      return Object.fromEntries(
        pairs.map(([name, text]) => [
          name,
          toValue(text, Object.hasOwn(properties, name) ? properties[name] : undefined),
        ]),
      );
    },
  };
}

const JSON_WORD = "JSON arguments require the --args flag (--json selects JSON output).";

/** Rejects pairs that a tool's schema does not contain. @throws {CliError} with the closest name */
export function assertKnownArguments(subject: string, names: readonly string[], schema: unknown): void {
  if (!isJsonObject(schema) || OPEN_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) return;
  if (schema["additionalProperties"] !== undefined && schema["additionalProperties"] !== false) return;
  assertNames(subject, names, Object.keys(propertiesOf(schema)));
}

/** Rejects names that are not among the known ones. @throws {CliError} with the closest name */
export function assertNames(subject: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const list =
    known.length === 0
      ? "It does not take arguments."
      : `Its arguments: ${known.map((name) => oneLine(name, 60)).join(", ")}.`;
  throw usageError(
    `${subject} does not take the argument "${oneLine(unknown, 40)}"${suggestion(unknown, known)} ${oneLine(list, 1_000)}`,
  );
}

/** Keywords that can allow arguments outside `properties`. */
const OPEN_KEYWORDS = ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"];

/** Converts text to the type in its schema. Text that does not fit stays a string, which the server rejects. */
function toValue(text: string, schema: unknown): unknown {
  const type = isJsonObject(schema) ? schema["type"] : undefined;
  if (type === "string") return text;
  const parsed = parseFrame(text, JSON_LIMITS);
  const json = parsed.ok ? parsed.value : text;
  if (typeof type !== "string") {
    // Without a single type, valid JSON is used as JSON, unless only the plain string is allowed.
    return Array.isArray(type) &&
      type.includes("string") &&
      typeof json !== "string" &&
      !type.includes(typeOf(json))
      ? text
      : json;
  }
  return json;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

async function readAll(stdin: Readable): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > JSON_LIMITS.maxBytes)
      throw usageError(`Standard input is too large (limit: ${JSON_LIMITS.maxBytes} bytes).`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
