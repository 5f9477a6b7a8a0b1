/**
 * @fileoverview Converts parameter lists to Zod schemas and validates parameters.
 * @module agent/tool-schema
 */
import { z } from "zod";
import type { ToolDefinition } from "./define-tool.js";
import { toolParamsError } from "../shared/errors.js";
import { showValue } from "../shared/show-value.js";
import type { ToolParam } from "./tool-param.js";

/** Returns the Zod schema for a parameter list. Schemas are cached per list. */
export function toParamsSchema(params: readonly ToolParam[]): z.ZodObject {
  const known = schemas.get(params);
  if (known !== undefined) return known;
  const schema = toObjectSchema(params);
  schemas.set(params, schema);
  return schema;
}

/**
 * Validates parameters for a tool and returns them, typed by its parameter list.
 *
 * @throws {ValidationError} `Tool '{name}' parameter validation failed: …`
 */
export function parseToolParams<TParams>(tool: ToolDefinition<string, TParams>, params: unknown): TParams {
  const outcome = toParamsSchema(tool.params).safeParse(params);
  if (!outcome.success) throw toolParamsError(tool.name, outcome.error.issues);
  return outcome.data as TParams; // Safe: the schema and the type are derived from the same list
}

const schemas = new WeakMap<readonly ToolParam[], z.ZodObject>();

function toObjectSchema(params: readonly ToolParam[]): z.ZodObject {
  const members = params.map((param): [string, z.ZodType] => {
    const schema = toSchema(param).describe(param.description);
    return [param.name, param.optional ? schema.optional() : schema];
  });
  return z.strictObject(Object.fromEntries(members), { error: (issue) => sayObject(issue) });
}

function toSchema(param: ToolParam): z.ZodType {
  const { type = "string", params = [] } = param;
  switch (type) {
    case "number":
      return z.number({ error: say("a number") });
    case "boolean":
      return z.boolean({ error: say("true or false") });
    case "array": {
      const [item] = params;
      const element = item === undefined ? z.unknown() : toSchema(item).describe(item.description);
      return z.array(element, { error: say("an array") });
    }
    case "object":
      return toObjectSchema(params);
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
  return ({ input }) => (input === undefined ? MISSING : `Expected ${expected}; got ${showValue(input)}`);
}

/** Describes a value that is not an object. For unknown keys, Zod's own message names them. */
function sayObject(issue: RawIssue): string | undefined {
  return issue.code === "invalid_type" ? say("an object")(issue) : undefined;
}

const MISSING = "Required parameter is missing";
