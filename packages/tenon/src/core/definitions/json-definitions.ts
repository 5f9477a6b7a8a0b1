/**
 * @fileoverview Parses tools and resources that are declared as JSON arrays. Every error contains the source, the
 * index, and the reason.
 * @module tenon/core/definitions/json-definitions
 */
import { deepFreeze, frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { Icon, McpResourceDefinition, McpToolDefinition, ToolHints } from "../../protocol/index.js";
import { kindOf, schemaKindOf } from "@tenon/internal/kind-of";
import { findVariable } from "./definition-checks.js";
import { parseSchemaMeta, type SchemaMeta, validateArguments } from "./validate.js";

/** Tool declared as JSON. It serializes to the definition that clients receive, without its validation rules. */
export class Tool implements McpToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolHints;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  readonly #meta: SchemaMeta;

  /** @param hold freezes the definition's members; copies them by default, because the caller may change its own */
  constructor(definition: McpToolDefinition, hold: Hold = frozenCopy) {
    this.name = definition.name;
    this.inputSchema = hold(definition.inputSchema);
    if (definition.title !== undefined) this.title = definition.title;
    if (definition.description !== undefined) this.description = definition.description;
    if (definition.outputSchema !== undefined) this.outputSchema = hold(definition.outputSchema);
    if (definition.annotations !== undefined) this.annotations = hold(definition.annotations);
    if (definition.icons !== undefined) this.icons = hold(definition.icons);
    if (definition._meta !== undefined) this._meta = hold(definition._meta);
    this.#meta = parseSchemaMeta(definition.inputSchema);
    Object.freeze(this);
  }

  /** Checks that required fields are present. Returns the first problem, or `undefined` if the arguments are valid. */
  validateArguments(args: JsonObject): string | undefined {
    return validateArguments(this.#meta, args);
  }
}

/** Freezes a value: a copy of it, or the value itself if it was parsed from text and nothing else holds it. */
type Hold = <T>(value: T) => T;

/** Resource declared as JSON. */
export type Resource = McpResourceDefinition;

/** Definitions as JSON text, UTF-8 bytes, or a parsed array. */
export type DefinitionSource = string | Uint8Array | readonly unknown[];

/**
 * Parses tools from JSON. A missing `inputSchema` defaults to `{ type: "object" }`.
 *
 * @param label name of the source in error messages, such as a file name
 * @throws if a definition is invalid; the message contains the source, the index, and the reason
 */
export function parseTools(source: DefinitionSource, label = "tools"): Tool[] {
  const hold = holdFor(source);
  return parseList(source, label, (value, fail) => {
    const { inputSchema } = value;
    const foreign = inputSchema === undefined ? SCHEMA_ALIASES.find((key) => key in value) : undefined;
    if (foreign !== undefined) fail(`unknown option \`${foreign}\`. Did you mean \`inputSchema\`?`);
    for (const key of ["inputSchema", "outputSchema", "annotations"])
      if (value[key] !== undefined && !isJsonObject(value[key])) fail(expected(key, "an object", value[key]));
    if (isJsonObject(inputSchema) && inputSchema["type"] !== "object")
      fail(`\`inputSchema\` must have \`"type": "object"\`; got ${schemaKindOf(inputSchema)}.`);
    // This function and `parseList` have checked the members.
    const definition = { ...value, inputSchema: inputSchema ?? { type: "object" } };
    return new Tool(definition as unknown as McpToolDefinition, hold);
  });
}

/** Parses resources from JSON. @throws if a definition is invalid, with the same message format as `parseTools` */
export function parseResources(source: DefinitionSource, label = "resources"): Resource[] {
  const hold = holdFor(source);
  return parseList(source, label, (value, fail) => {
    const { uri, mimeType, size } = value;
    if (typeof uri !== "string" || uri === "") fail(expected("uri", "a non-empty string", uri));
    const variable = findVariable(String(uri));
    if (variable !== undefined)
      fail(
        `\`uri\` contains the variable "${variable}". Declared resources have fixed URIs; ` +
          "use `.resourceTemplate()` instead.",
      );
    if (mimeType !== undefined && typeof mimeType !== "string")
      fail(expected("mimeType", "a string", mimeType));
    if (size !== undefined && typeof size !== "number") fail(expected("size", "a number", size));
    return hold(value as unknown as Resource); // Safe: checked above
  });
}

/** Values parsed from text belong to this module, so they are frozen in place. Other values are copied. */
function holdFor(source: DefinitionSource): Hold {
  return typeof source === "string" || source instanceof Uint8Array ? deepFreeze : frozenCopy;
}

/** Names of the input schema in the formats of model providers. */
const SCHEMA_ALIASES = ["input_schema", "parameters", "input", "schema"];

type Fail = (reason: string) => never;

function parseList<T extends { readonly name: string }>(
  source: DefinitionSource,
  label: string,
  read: (value: JsonObject, fail: Fail) => T,
): T[] {
  const list =
    typeof source === "string" || source instanceof Uint8Array ? parseSource(source, label) : source;
  if (!Array.isArray(list)) {
    throw new Error(`${label}: expected a JSON array of definitions; got ${kindOf(list)}.`);
  }
  const seen = new Map<string, number>();
  return list.map((value: unknown, index) => {
    const fail: Fail = (reason) => {
      throw new Error(`${label}[${index}]: ${reason}`);
    };
    if (!isJsonObject(value)) return fail(`the definition must be an object; got ${kindOf(value)}.`);
    const { name } = value;
    if (typeof name !== "string" || name === "") return fail(expected("name", "a non-empty string", name));
    for (const key of ["title", "description"]) {
      if (value[key] !== undefined && typeof value[key] !== "string")
        fail(expected(key, "a string", value[key]));
    }
    const before = seen.get(name);
    if (before !== undefined)
      fail(`"${name}" is already defined at ${label}[${before}]. Names must be unique.`);
    seen.set(name, index);
    return read(value, fail);
  });
}

function expected(key: string, type: string, value: unknown): string {
  return `\`${key}\` must be ${type}; got ${kindOf(value)}.`;
}

function parseSource(source: string | Uint8Array, label: string): unknown {
  const text = typeof source === "string" ? source : decodeUtf8(source);
  if (text === undefined) throw new Error(`${label}: the content is not valid UTF-8.`);
  const value = readJson(text);
  if (value === undefined) throw new Error(`${label}: the content is not valid JSON (${jsonProblem(text)}).`);
  return value;
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return "unknown";
  } catch (error) {
    return error instanceof Error ? error.message : "unknown";
  }
}
