/**
 * @fileoverview Tools and resources declared as data: JSON arrays that become definitions, with handlers to follow.
 * Whatever is wrong is told with its source, its place and the reason, before anything is served.
 * @module core/definitions
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { Icon, McpResourceDefinition, McpToolDefinition, ToolHints } from "../../protocol/index.js";
import { parseSchemaMeta, type SchemaMeta, validateArguments } from "./validate.js";

/** A tool declared as data. What is written as JSON is what clients see: its rules stay inside. */
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

  constructor(definition: McpToolDefinition) {
    this.name = definition.name;
    this.inputSchema = frozenCopy(definition.inputSchema);
    if (definition.title !== undefined) this.title = definition.title;
    if (definition.description !== undefined) this.description = definition.description;
    if (definition.outputSchema !== undefined) this.outputSchema = frozenCopy(definition.outputSchema);
    if (definition.annotations !== undefined) this.annotations = frozenCopy(definition.annotations);
    if (definition.icons !== undefined) this.icons = frozenCopy(definition.icons);
    if (definition._meta !== undefined) this._meta = frozenCopy(definition._meta);
    this.#meta = parseSchemaMeta(definition.inputSchema);
    Object.freeze(this);
  }

  /** What is wrong with arguments, in words, or nothing. */
  validateArguments(args: JsonObject): string | undefined {
    return validateArguments(this.#meta, args);
  }
}

/** A resource declared as data. */
export type Resource = McpResourceDefinition;

/** JSON text, its bytes, or the array it holds. */
export type DefinitionSource = string | Uint8Array | readonly unknown[];

/**
 * Reads tools from JSON.
 *
 * @param label names the source in errors, such as a file
 * @throws with source, index and reason
 */
export function parseTools(source: DefinitionSource, label = "tools"): Tool[] {
  return parseList(source, label, (value, fail) => {
    const { inputSchema, outputSchema, annotations } = value;
    if (inputSchema !== undefined && !isJsonObject(inputSchema)) fail("inputSchema must be an object");
    if (outputSchema !== undefined && !isJsonObject(outputSchema)) fail("outputSchema must be an object");
    if (annotations !== undefined && !isJsonObject(annotations)) fail("annotations must be an object");
    // The members of the wire type were checked above and by `parseList`.
    return new Tool({
      ...value,
      inputSchema: inputSchema ?? { type: "object" },
    } as unknown as McpToolDefinition);
  });
}

/** Reads resources from JSON. @throws with source, index and reason */
export function parseResources(source: DefinitionSource, label = "resources"): Resource[] {
  return parseList(source, label, (value, fail) => {
    const { uri, mimeType, size } = value;
    if (typeof uri !== "string" || uri === "") fail("uri must be a non-empty string");
    if (mimeType !== undefined && typeof mimeType !== "string") fail("mimeType must be a string");
    if (size !== undefined && typeof size !== "number") fail("size must be a number");
    return frozenCopy(value as unknown as Resource); // checked just now
  });
}

type Fail = (reason: string) => never;

function parseList<T extends { readonly name: string }>(
  source: DefinitionSource,
  label: string,
  read: (value: JsonObject, fail: Fail) => T,
): T[] {
  const list =
    typeof source === "string" || source instanceof Uint8Array ? parseSource(source, label) : source;
  if (!Array.isArray(list)) throw new Error(`${label}: must be a JSON array of definitions`);
  const seen = new Map<string, number>();
  return list.map((value: unknown, index) => {
    const fail: Fail = (reason) => {
      throw new Error(`${label}[${index}]: ${reason}`);
    };
    if (!isJsonObject(value)) return fail("must be an object");
    const { name } = value;
    if (typeof name !== "string" || name === "") return fail("name must be a non-empty string");
    for (const key of ["title", "description"]) {
      if (value[key] !== undefined && typeof value[key] !== "string") fail(`${key} must be a string`);
    }
    const before = seen.get(name);
    if (before !== undefined) fail(`"${name}" is already defined at ${label}[${before}]`);
    seen.set(name, index);
    return read(value, fail);
  });
}

function parseSource(source: string | Uint8Array, label: string): unknown {
  const text = typeof source === "string" ? source : decodeUtf8(source);
  if (text === undefined) throw new Error(`${label}: is not valid UTF-8`);
  const value = readJson(text);
  if (value === undefined) throw new Error(`${label}: is not valid JSON (${jsonProblem(text)})`);
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
