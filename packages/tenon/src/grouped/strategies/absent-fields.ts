/**
 * @fileoverview Finds required fields that a Zod schema accepts without a value. Zod lists fields such as
 * `z.string().catch("")` as required, although a call without them is valid.
 * @module tenon/grouped/strategies/absent-fields
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isPromise } from "@tenon/internal/maybe-promise";
import type { StandardSchema } from "../../schema/schema.js";
import { createZodCheck, isZodSchema } from "../../schema/zod-check.js";

/**
 * Removes fields from `required` that a Zod schema accepts without a value. Runs the schema on an empty object, at build
 * time and only if one of its fields can provide a value. A schema that is asynchronous or throws has no effect.
 */
export function dropAbsentFields(schema: StandardSchema, jsonSchema: JsonObject): JsonObject {
  const required = Array.isArray(jsonSchema["required"]) ? (jsonSchema["required"] as readonly string[]) : [];
  const doubtful = required.flatMap((name) => {
    const field = zodField(schema, name);
    return field !== undefined && WRAPPERS.has(field._zod.def.type) ? [{ name, field }] : [];
  });
  if (doubtful.length === 0) return jsonSchema;
  const rejected = rejectedFields(schema, {});
  const accepts = ({ name, field }: (typeof doubtful)[number]) =>
    rejected === undefined ? acceptsAbsence(field) : !rejected.has(name);
  const absent = new Set(doubtful.filter(accepts).map(({ name }) => name));
  if (absent.size === 0) return jsonSchema;
  const { required: _required, ...rest } = jsonSchema;
  const left = required.filter((name) => !absent.has(name));
  return left.length === 0 ? rest : { ...rest, required: left };
}

/** Parts of a Zod schema that show whether a field may be absent. */
type ZodField = StandardSchema & {
  readonly _zod: { readonly def: { readonly type: string }; readonly optin?: unknown };
};

/** Zod schema types that can provide a value for a missing field. */
const WRAPPERS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "catch",
  "pipe",
  "transform",
  "lazy",
  "nullable",
  "nonoptional",
  "readonly",
]);

/** Checks a field separately. Required if a different field of the object throws. */
function acceptsAbsence(field: ZodField): boolean {
  // Zod requires a key without `optin`, even if the field accepts `undefined`.
  return field._zod.optin !== undefined && rejectedFields(field, undefined)?.size === 0;
}

/** Returns the fields that a schema rejects, or `undefined` if it throws or is asynchronous. */
function rejectedFields(schema: StandardSchema, value: unknown): ReadonlySet<string> | undefined {
  if (!isZodSchema(schema)) return undefined;
  try {
    // Creates a separate check, because the first value determines whether a check is asynchronous.
    const result = createZodCheck(schema, schema["~standard"].validate)(value);
    if (!isPromise(result)) return new Set(result.issues?.map(({ path = [] }) => toName(path[0])));
    // Ignore the outcome. A rejection must not crash the process.
    result.then(undefined, () => undefined);
  } catch {
    // Ignore the error: the schema's own function cannot handle a missing value, so the field is required.
  }
  return undefined;
}

function toName(segment: PropertyKey | { readonly key: PropertyKey } | undefined): string {
  return String(typeof segment === "object" ? segment.key : segment);
}

function zodField(schema: StandardSchema, name: string): ZodField | undefined {
  const shape: unknown = "shape" in schema ? schema.shape : undefined;
  if (!isJsonObject(shape) || !Object.hasOwn(shape, name)) return undefined;
  const field = shape[name];
  // Safe: every Zod schema has this shape.
  return isJsonObject(field) && isJsonObject(field["_zod"]) ? (field as unknown as ZodField) : undefined;
}
