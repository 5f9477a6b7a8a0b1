/**
 * @fileoverview Handles every schema form that the official SDK accepts: object schemas, raw shapes, and request
 * schemas with a method literal.
 * @module sdk/server/registrations/schemas
 */
import type { Completer } from "tenon";
import { type CompiledSchema, compileSchema, isStandardSchema } from "tenon/host";
import { isJsonObject } from "@tenon/internal/json";
import type { AnySchema, InputOf, Shape } from "../../types.js";
import { UnreadableRequest } from "../requests/own-methods.js";
import { isPlainInput } from "./known-schemas.js";
import { toObjectSchema, toStandardSchema } from "./zod-schemas.js";

/** Recognizes a schema, as opposed to a raw shape. */
export function isSchema(value: unknown): value is AnySchema {
  return (
    isJsonObject(value) && ("_zod" in value || "_def" in value || isStandardSchema(value) || isParser(value))
  );
}

/** Recognizes a raw shape: an object that is empty or contains at least one schema. */
export function isShape(value: unknown): value is Shape {
  if (!isJsonObject(value) || isSchema(value)) return false;
  const fields = Object.values(value);
  return fields.length === 0 || fields.some(isSchema);
}

/** Converts a raw shape to a schema, and returns schemas unchanged. @throws for any other value */
export function toSchema(given: unknown): AnySchema | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isShape(given)) {
    if (isSchema(given)) return given;
    throw new Error("inputSchema must be a Zod schema or raw shape, received an unrecognized object");
  }
  return toObjectSchema(given);
}

/** Compiles a schema. If it is not an object schema (such as a union), its JSON Schema gets `type: "object"`. */
export const compile = /* @__PURE__ */ onceBySchema((schema, label, side) => {
  const isConvertible = side === "input" && isPlainInput(schema);
  const compiled = compileSchema(toStandardSchema(schema), { label, side, isConvertible });
  if (isConvertible) return compiled;
  const { jsonSchema } = compiled;
  if (jsonSchema["type"] === "object") return compiled;
  return { ...compiled, jsonSchema: Object.freeze({ type: "object", ...jsonSchema }) };
});

/** Compiles a schema. @param label start of error messages */
type Compile = (schema: AnySchema, label: string, side: "input" | "output") => CompiledSchema;

/**
 * Compiles each schema only once for each side. An application that creates a server for every request usually creates
 * its schemas only once.
 */
export function onceBySchema(compileNew: Compile): Compile {
  const compiled = new WeakMap<AnySchema, Partial<Record<"input" | "output", CompiledSchema>>>();
  return (schema, label, side) => {
    const known = compiled.get(schema);
    const found = known?.[side];
    if (found !== undefined) return found;
    const made = compileNew(schema, label, side);
    if (isFirstUse(schema, side)) return made;
    compiled.set(schema, { ...known, [side]: made });
    return made;
  };
}

/** Simple schemas that were compiled. Values of a `WeakMap` outlive their keys until a full garbage collection. */
const seen = /* @__PURE__ */ new WeakSet<AnySchema>();

/** Returns true for a simple schema that may belong to a single request. Compiling it again is cheap. */
function isFirstUse(schema: AnySchema, side: "input" | "output"): boolean {
  if (side === "output" || !isPlainInput(schema) || seen.has(schema)) return false;
  seen.add(schema);
  return true;
}

/** Returns an object schema's fields, for any Zod version. Returns an empty object for other values. */
export function fieldsOf(schema: unknown): Readonly<Record<string, unknown>> {
  const shape = isJsonObject(schema) ? schema["shape"] : undefined;
  const fields: unknown = typeof shape === "function" ? shape.call(schema) : shape;
  return isJsonObject(fields) ? fields : {};
}

/** Returns the inner schema of an optional schema. Other schemas are returned unchanged. */
export function unwrapOptional(field: unknown): unknown {
  const def = defOf(field);
  return def["type"] === "optional" || def["typeName"] === "ZodOptional" ? def["innerType"] : field;
}

/** Returns true if a field may be omitted. In Zod 4, this means that its schema is `optional()`. */
export function isOptional(field: unknown): boolean {
  if (isJsonObject(field) && !("_zod" in field) && typeof field["isOptional"] === "function") {
    return field["isOptional"]() === true;
  }
  return unwrapOptional(field) !== field;
}

/**
 * Returns the method literal of a request or notification schema. A string is returned unchanged.
 *
 * @throws if the schema does not contain a method literal
 */
export function methodOf(schema: unknown): string {
  if (typeof schema === "string") return schema;
  const field = fieldsOf(schema)["method"];
  if (field === undefined) throw new Error("Schema is missing a method literal");
  const def = defOf(field);
  const values = def["values"];
  const value =
    def["value"] ?? (Array.isArray(values) ? values[0] : isJsonObject(field) ? field["value"] : undefined);
  if (typeof value !== "string") throw new Error("Schema method literal must be a string");
  return value;
}

/**
 * Parses a message with a schema. Returns the message unchanged if the schema cannot parse.
 *
 * @throws the schema's error
 */
export function parseWith(schema: unknown, message: object): unknown {
  return isParser(schema) ? schema.parse(message) : message;
}

/** Parses a request with the application's schema. @throws `UnreadableRequest` if the schema rejects it */
export function parseRequest(schema: unknown, message: object): unknown {
  try {
    return parseWith(schema, message);
  } catch (error) {
    throw new UnreadableRequest(error);
  }
}

function isParser(value: unknown): value is { parse(data: unknown): unknown } {
  return isJsonObject(value) && typeof value["parse"] === "function";
}

/** Returns the definition inside a schema of any Zod version. Returns an empty object for other values. */
function defOf(field: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(field)) return {};
  const { _zod: inner, _def: old } = field;
  if (isJsonObject(inner) && isJsonObject(inner["def"])) return inner["def"];
  return isJsonObject(old) ? old : {};
}

/** Suggests values for the text typed so far. `context.arguments` contains the values of other arguments, if any. */
export type CompleteCallback<Schema extends AnySchema = AnySchema> = (
  value: InputOf<Schema>,
  context?: { arguments?: Record<string, string> },
) => InputOf<Schema>[] | Promise<InputOf<Schema>[]>;

/** The symbol that the official SDK uses, so that `completable` schemas from either package work in both. */
const MARK = Symbol.for("mcp.completable");

/** Attaches a completion callback to an argument's schema, and returns the same schema. */
export function completable<Schema extends AnySchema>(
  schema: Schema,
  complete: CompleteCallback<Schema>,
): Schema {
  Object.defineProperty(schema, MARK, { value: { complete } });
  return schema;
}

/** Returns true if a completion callback is attached to the schema. */
export function isCompletable(schema: unknown): boolean {
  return markOf(schema) !== undefined;
}

/** Returns the completion callback of a schema, if any. */
export function getCompleter<Schema extends AnySchema>(schema: Schema): CompleteCallback<Schema> | undefined {
  const mark = markOf(schema) as { readonly complete?: CompleteCallback<Schema> } | undefined; // Safe: `completable` set it
  return mark?.complete;
}

/** Returns the schema itself: `completable` does not wrap it. Exists for code that was written for the official SDK. */
export function unwrapCompletable<Schema extends AnySchema>(schema: Schema): Schema {
  return schema;
}

/** Returns a field's completer. For an optional field, it also checks the inner schema. */
export function completerOf(field: unknown): Completer | undefined {
  const mark = markOf(field) ?? markOf(unwrapOptional(field));
  const complete = isJsonObject(mark) ? mark["complete"] : undefined;
  return typeof complete === "function" ? toCompleter(complete as Suggest) : undefined; // Safe: `completable` set it
}

type Suggest = (
  value: string,
  context?: { arguments?: Record<string, string> },
) => string[] | Promise<string[]>;

/** Converts an official SDK completion callback to a completer. Clients receive at most 100 values. */
export function toCompleter(suggest: Suggest): Completer {
  return async (typed, others) => {
    const context = Object.keys(others).length === 0 ? undefined : { arguments: { ...others } };
    const values = await suggest(typed, context);
    return { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 };
  };
}

function markOf(field: unknown): unknown {
  return isJsonObject(field) ? (field as { readonly [MARK]?: unknown })[MARK] : undefined;
}
