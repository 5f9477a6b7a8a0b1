/**
 * @fileoverview Converts parameter lists to Zod schemas and validates parameters.
 * @module agent/tools/tool-schema
 */
import { z } from "zod";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { isPromise } from "@tenon/internal/maybe-promise";
import type { Issue } from "tenon/host";
import { toolParamsError, toZodIssue } from "../shared/errors.js";
import { checkArguments } from "./check-arguments.js";
import { compileParams } from "./compile-params.js";
import type { ToolDefinition } from "./define-tool.js";
import { unwrapArguments } from "./params-from-schema.js";
import { showArgument } from "./plain-text.js";
import type { ToolParam } from "./tool-param.js";

/**
 * Returns the Zod schema for the tags of a parameter list. It parses parameters with the format `json`. Schemas are
 * cached per list.
 */
export function toParamsSchema(params: readonly ToolParam[]): z.ZodObject {
  return findSchema(tagSchemas, params, fromTag);
}

/** Returns the Zod schema for the values of a parameter list, which parsing its tags returns. */
export function toValuesSchema(params: readonly ToolParam[]): z.ZodObject {
  return findSchema(valueSchemas, params, anyValue);
}

/**
 * Validates parameters for a tool and returns them, typed by its parameter list or its schema.
 *
 * @throws {ValidationError} `Tool '{name}' parameter validation failed: …`
 */
export function parseToolParams<TParams>(tool: ToolDefinition<string, TParams>, params: unknown): TParams {
  const { inputSchema } = tool;
  if (inputSchema !== undefined) {
    return parseArguments({ ...tool, inputSchema }, params) as TParams; // Safe: the type is derived from the schema
  }
  const outcome = toValuesSchema(tool.params).safeParse(params);
  if (!outcome.success) throw toolParamsError(tool.name, outcome.error.issues);
  return outcome.data as TParams; // Safe: the schema and the type are derived from the same list
}

function parseArguments(
  tool: ToolDefinition & { readonly inputSchema: JsonObject },
  params: unknown,
): unknown {
  const { name, inputSchema, paramsSchema } = tool;
  const args = unwrapArguments(tool, params);
  if (!isJsonObject(args)) throw failed(name, [{ message: `Expected an object; got ${showArgument(args)}` }]);
  if (paramsSchema === undefined) {
    const issues = checkArguments(inputSchema, args);
    if (issues.length > 0) throw failed(name, issues);
    return args;
  }
  const result = compileParams(paramsSchema, `Tool '${name}': \`params\``).check(args);
  if (isPromise(result)) {
    // A rejection without a handler would end the process.
    result.then(undefined, () => undefined);
    throw failed(name, [{ message: "The tool's schema is asynchronous, which is not supported" }]);
  }
  if (result.issues !== undefined) throw failed(name, result.issues);
  return result.value;
}

function failed(name: string, issues: readonly Issue[]): Error {
  return toolParamsError(
    name,
    issues.map(({ path = [], message }) => toZodIssue({ path: path.map(toSegment), message })),
  );
}

function toSegment(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === "object" ? segment.key : segment;
  return typeof key === "symbol" ? String(key) : key;
}

type SchemaCache = WeakMap<readonly ToolParam[], z.ZodObject>;

const tagSchemas: SchemaCache = new WeakMap();
const valueSchemas: SchemaCache = new WeakMap();

/** Creates the schema of a parameter with the format `json`. */
type JsonSchema = () => z.ZodType;

function fromTag(): z.ZodType {
  return z.string({ error: say("JSON") }).transform((text) => {
    const value = readJson(text);
    // Other text is passed on, because the schema of the tool decides if it is valid.
    return value === undefined ? text : value;
  });
}

function anyValue(): z.ZodType {
  return z.unknown().refine((value) => value !== undefined, MISSING);
}

function findSchema(cache: SchemaCache, params: readonly ToolParam[], json: JsonSchema): z.ZodObject {
  const known = cache.get(params);
  if (known !== undefined) return known;
  const schema = toObjectSchema(params, json);
  cache.set(params, schema);
  return schema;
}

function toObjectSchema(params: readonly ToolParam[], json: JsonSchema): z.ZodObject {
  const members = params.map((param): [string, z.ZodType] => {
    const schema = toSchema(param, json).describe(param.description);
    return [param.name, param.optional ? schema.optional() : schema];
  });
  return z.strictObject(Object.fromEntries(members), { error: (issue) => sayObject(issue) });
}

function toSchema(param: ToolParam, json: JsonSchema): z.ZodType {
  const { type = "string", params = [], format } = param;
  if (format === "json") return json();
  switch (type) {
    case "number":
      return z.number({ error: say("a number") });
    case "boolean":
      return z.boolean({ error: say("true or false") });
    case "array": {
      const [item] = params;
      const element = item === undefined ? z.unknown() : toSchema(item, json).describe(item.description);
      return z.array(element, { error: say("an array") });
    }
    case "object":
      return toObjectSchema(params, json);
    default:
      return z.string({ error: say("text") });
  }
}

/** Fields of Zod's raw issues that the messages use. */
interface RawIssue {
  readonly code?: string | undefined;
  readonly input?: unknown;
}

function say(expected: string): (issue: RawIssue) => string {
  return ({ input }) => (input === undefined ? MISSING : `Expected ${expected}; got ${showArgument(input)}`);
}

/** Describes a value that is not an object. For unknown keys, Zod's own message names them. */
function sayObject(issue: RawIssue): string | undefined {
  return issue.code === "invalid_type" ? say("an object")(issue) : undefined;
}

const MISSING = "Required parameter is missing";
