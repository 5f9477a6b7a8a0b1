/**
 * @fileoverview The Zod schema that follows from a list of parameters, and the check of a tool's parameters by it.
 * @module agent/tool-schema
 */
import { z } from "zod";
import type { ToolDefinition } from "./define-tool.js";
import { toolParamsError } from "../shared/errors.js";
import type { ToolParam } from "./tool-param.js";

/** The schema of a tool's parameters, made once for each list. */
export function toParamsSchema(params: readonly ToolParam[]): z.ZodObject {
  const known = schemas.get(params);
  if (known !== undefined) return known;
  const schema = toObjectSchema(params);
  schemas.set(params, schema);
  return schema;
}

/**
 * The parameters of a tool, checked.
 *
 * @throws {ValidationError} `Tool '{name}' parameter validation failed: …`
 */
export function parseToolParams<TParams>(tool: ToolDefinition<string, TParams>, params: unknown): TParams {
  const outcome = toParamsSchema(tool.params).safeParse(params);
  if (!outcome.success) throw toolParamsError(tool.name, outcome.error.issues);
  return outcome.data as TParams; // the schema follows from the list as the type does
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
      return z.array(element, { error: say("a list") });
    }
    case "object":
      return toObjectSchema(params);
    default:
      return z.string({ error: say("text") });
  }
}

/** The parts of Zod's raw issues that a sentence is made of. */
interface RawIssue {
  readonly code?: string | undefined;
  readonly input?: unknown;
}

function say(expected: string): (issue: RawIssue) => string {
  return ({ input }) => (input === undefined ? MISSING : `Expected ${expected}, got ${show(input)}`);
}

/** Zod's own sentence about unknown keys names them. */
function sayObject(issue: RawIssue): string | undefined {
  return issue.code === "invalid_type" ? say("an object")(issue) : undefined;
}

const MISSING = "Required parameter is missing";
const MAX_SHOWN = 40;

/** A wrong value, briefly: what is not text or a number is named by its kind. */
function show(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : `a value of type ${typeof value}`;
}
