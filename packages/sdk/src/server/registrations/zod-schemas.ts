/**
 * @fileoverview Supports Zod 3 and every Zod 4 version, as the official SDK does. Only Zod 4.2 and later convert
 * themselves to JSON Schema through the Standard Schema interface that Tenon's core uses.
 * @module sdk/server/registrations/zod-schemas
 */
import type { StandardSchema } from "tenon";
import { zodToJsonSchema } from "zod-to-json-schema";
import { object as objectV3, type ZodRawShape, type ZodTypeAny } from "zod/v3";
import { object as objectV4, toJSONSchema } from "zod/v4";
import type { $ZodShape, $ZodType } from "zod/v4/core";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { AnySchema, Shape } from "../../types.js";

/** Raw shape with the fields of its registration. Its object schema is created on first use, and then shared. */
export class KnownShape {
  readonly fields: Shape;
  /** True if a tool with the schema certainly compiles. `undefined` if that was not searched yet. */
  isPlain: boolean | undefined = undefined;
  #schema: AnySchema | undefined;

  constructor(shape: Shape) {
    this.fields = { ...shape };
  }

  /** Object schema of the fields. @throws if they mix Zod 3 and Zod 4 schemas */
  get schema(): AnySchema {
    return (this.#schema ??= createObjectSchema(this.fields));
  }
}

/** Raw shapes that were registered more than once. Their servers share what is compiled from them. */
const knownShapes = /* @__PURE__ */ new WeakMap<Shape, KnownShape>();

/**
 * Raw shapes that were registered. Values of a `WeakMap` outlive their keys until a full garbage collection, so the
 * schemas that an application creates for one request must not become values.
 */
const seenShapes = /* @__PURE__ */ new WeakSet<Shape>();

/** Returns a raw shape with its fields. Shapes that have changed since the last time are new. */
export function toKnownShape(shape: Shape): KnownShape {
  const known = knownShapes.get(shape);
  if (known !== undefined && hasSameFields(known.fields, shape)) return known;
  const made = new KnownShape(shape);
  if (seenShapes.has(shape)) knownShapes.set(shape, made);
  else seenShapes.add(shape);
  return made;
}

/** Converts a raw shape to an object schema. @throws if it mixes Zod 3 and Zod 4 schemas */
export function toObjectSchema(shape: Shape): AnySchema {
  return toKnownShape(shape).schema;
}

/** Returns true if a raw shape has not changed since it was converted. */
function hasSameFields(before: Shape, after: Shape): boolean {
  const names = Object.keys(after);
  return names.length === Object.keys(before).length && names.every((name) => before[name] === after[name]);
}

function createObjectSchema(shape: Shape): AnySchema {
  const fields = Object.values(shape);
  // Safe: every field has the version that was checked.
  if (fields.every(isZod4)) return objectV4(shape as $ZodShape);
  if (fields.every((field) => !isZod4(field))) return objectV3(shape as ZodRawShape);
  throw new Error("Mixed Zod versions detected in object shape.");
}

/** Adds a conversion to JSON Schema to Zod schemas without one. Other schemas are returned unchanged. */
export function toStandardSchema(schema: AnySchema): StandardSchema {
  const whole = schema as unknown as StandardSchema; // Safe: the core describes the problem if it is something else
  const standard: unknown = whole["~standard"];
  if (!isJsonObject(standard)) return whole;
  const convert = converterOf(schema, standard);
  if (convert === undefined) return whole;
  const jsonSchema = { input: () => convert("input"), output: () => convert("output") };
  // The copy inherits the schema's own members, which the core's fast check uses.
  return Object.create(schema, {
    "~standard": { value: { ...standard, jsonSchema } },
  }) as StandardSchema;
}

function converterOf(schema: AnySchema, standard: JsonObject): Convert | undefined {
  if (!isZod4(schema)) {
    return "jsonSchema" in standard || standard["vendor"] !== "zod" ? undefined : fromZod3(schema);
  }
  // An object converts itself only if its fields do, and fields from Zod Mini do not.
  return "jsonSchema" in standard && !usesMini(schema) ? undefined : fromZod4(schema);
}

/** Returns true for a Zod Mini schema, and for an object with such fields. */
function usesMini(schema: $ZodType): boolean {
  const { shape = {} } = schema._zod.def as { readonly shape?: $ZodShape };
  return [schema, ...Object.values(shape)].some((one) => !("toJSONSchema" in one));
}

type Convert = (side: "input" | "output") => JsonObject;

function fromZod4(schema: $ZodType): Convert {
  return (io) => toJSONSchema(schema, { io, target: "draft-2020-12" }); // Safe: a JSON Schema object
}

function fromZod3(schema: ZodTypeAny): Convert {
  return (pipeStrategy) => zodToJsonSchema(schema, { strictUnions: true, pipeStrategy }); // Safe: as above
}

function isZod4(schema: AnySchema): schema is $ZodType {
  return "_zod" in schema;
}
