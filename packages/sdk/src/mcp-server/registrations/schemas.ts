/**
 * @fileoverview Schemas as the official SDK accepts them: object schemas, raw shapes, and request schemas that name a
 * method.
 * @module sdk/mcp-server/registrations/schemas
 */
import { object } from "zod";
import type { StandardSchema } from "tenon";
import { type CompiledSchema, compileSchema, isStandardSchema } from "tenon/host";
import { isJsonObject } from "@tenon/internal/json";
import type { AnySchema, Shape } from "../requests/types.js";

/** Recognizes a schema, as opposed to a raw shape. */
function isSchema(value: unknown): value is AnySchema {
  return (
    isJsonObject(value) && ("_zod" in value || "_def" in value || isStandardSchema(value) || isParser(value))
  );
}

/** Recognizes a raw shape: an object that is empty or has at least one schema. */
export function isShape(value: unknown): value is Shape {
  if (!isJsonObject(value) || isSchema(value)) return false;
  const fields = Object.values(value);
  return fields.length === 0 || fields.some(isSchema);
}

/** Converts a schema or raw shape to a schema. @throws for other values */
export function toSchema(given: unknown): AnySchema | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isShape(given)) {
    if (isSchema(given)) return given;
    throw new Error("inputSchema must be a Zod schema or raw shape, received an unrecognized object");
  }
  const old = Object.entries(given).find(([, field]) => !("_zod" in field));
  if (old !== undefined) throw new Error(`Field "${old[0]}" must be a Zod 4 schema. Use zod 4.2 or later.`);
  return object(given);
}

/** Compiles a schema. A schema that is not an object, such as a union, is shown to clients as an object. */
export function compile(schema: AnySchema, label: string, side: "input" | "output"): CompiledSchema {
  // Zod schemas provide their JSON Schema since 4.2, and `compileSchema` throws for older ones.
  const compiled = compileSchema(schema as unknown as StandardSchema, { label, side });
  const { jsonSchema } = compiled;
  if (jsonSchema["type"] === "object") return compiled;
  return { ...compiled, jsonSchema: { type: "object", ...jsonSchema } };
}

/** Returns the fields of an object schema of any Zod version. */
export function fieldsOf(schema: unknown): Readonly<Record<string, unknown>> {
  const shape = isJsonObject(schema) ? schema["shape"] : undefined;
  const fields: unknown = typeof shape === "function" ? shape.call(schema) : shape;
  return isJsonObject(fields) ? fields : {};
}

/** Returns the schema inside an optional one, and any other schema unchanged. */
export function unwrapOptional(field: unknown): unknown {
  const def = defOf(field);
  return def?.["type"] === "optional" ? def["innerType"] : field;
}

/** Returns true if a field is declared as optional. */
export function isOptional(field: unknown): boolean {
  return defOf(field)?.["type"] === "optional";
}

/**
 * Returns the method that a request or notification schema names. A string is the method itself. @throws if there is
 * none
 */
export function methodOf(schema: unknown): string {
  if (typeof schema === "string") return schema;
  const field = fieldsOf(schema)["method"];
  if (field === undefined) throw new Error("Schema is missing a method literal");
  const def = defOf(field) ?? (isJsonObject(field) && isJsonObject(field["_def"]) ? field["_def"] : {});
  const values = def["values"];
  const value =
    def["value"] ?? (Array.isArray(values) ? values[0] : isJsonObject(field) ? field["value"] : undefined);
  if (typeof value !== "string") throw new Error("Schema method literal must be a string");
  return value;
}

/** Parses a message with its schema. @throws the schema's error */
export function parseWith(schema: unknown, message: object): unknown {
  return isParser(schema) ? schema.parse(message) : message;
}

function isParser(value: unknown): value is { parse(data: unknown): unknown } {
  return isJsonObject(value) && typeof value["parse"] === "function";
}

function defOf(field: unknown): Readonly<Record<string, unknown>> | undefined {
  const inner = isJsonObject(field) ? field["_zod"] : undefined;
  return isJsonObject(inner) && isJsonObject(inner["def"]) ? inner["def"] : undefined;
}
