/**
 * @fileoverview Makes a schema ready at build, or says which part of which definition is wrong.
 * @module schema/compile
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { CompiledSchema, JsonSchemaCompiler, Schema, StandardSchema } from "./schema.js";
import { createZodCheck, isZodSchema } from "./zod-check.js";

/** What a schema is for. */
export interface SchemaUse {
  /** Names the owner in errors, such as `Tool "forecast" input`. */
  readonly label: string;
  /** Which side of a transforming schema clients see. */
  readonly side: "input" | "output";
  /** For schemas given as data. */
  readonly jsonSchema?: JsonSchemaCompiler | undefined;
}

/** Compiles a schema. @throws naming the owner and the path, where the schema cannot be used */
export function compileSchema(schema: Schema, use: SchemaUse): CompiledSchema {
  if (isStandardSchema(schema)) {
    return {
      jsonSchema: frozenCopy(toJsonSchema(schema, use)),
      check: checkOf(schema),
    };
  }
  if (!isJsonObject(schema)) throw fail(use, "must be a schema");
  if (use.jsonSchema === undefined) {
    throw fail(
      use,
      "is JSON Schema, which needs a validator: npm install typebox, then pass " +
        '{ jsonSchema: await loadJsonSchema() } from "tenon/json-schema" to defineServer',
    );
  }
  try {
    return { jsonSchema: frozenCopy(schema), check: use.jsonSchema(schema) };
  } catch (error) {
    throw fail(use, messageOf(error), error);
  }
}

function checkOf(schema: StandardSchema): CompiledSchema["check"] {
  const { validate, vendor } = schema["~standard"];
  return vendor === "zod" && isZodSchema(schema) ? createZodCheck(schema, validate) : validate;
}

/** Whether a schema comes from a Standard Schema library. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (
    ((typeof schema === "object" && schema !== null) || typeof schema === "function") &&
    "~standard" in schema &&
    isJsonObject(schema["~standard"])
  );
}

function toJsonSchema(schema: StandardSchema, use: SchemaUse): JsonObject {
  const { jsonSchema, vendor } = schema["~standard"] as Partial<StandardSchema["~standard"]>;
  if (jsonSchema === undefined) throw fail(use, `cannot become JSON Schema: ${remedy(vendor)}`);
  try {
    return jsonSchema[use.side]({ target: "draft-2020-12" });
  } catch (error) {
    const path = locateFailure(schema, use.side);
    throw fail(
      use,
      `cannot become JSON Schema${path === "" ? "" : ` at ${path}`}: ${messageOf(error)}`,
      error,
    );
  }
}

function remedy(vendor: string | undefined): string {
  if (vendor === "zod") return "use zod 4.2 or later (a Zod 3 schema cannot be served)";
  if (vendor === "valibot") return "wrap it with toStandardJsonSchema from @valibot/to-json-schema";
  return `${vendor ?? "its library"} does not implement Standard JSON Schema`;
}

/** Follows the shapes of an object schema down to the innermost member that cannot be converted. */
function locateFailure(schema: StandardSchema, side: SchemaUse["side"], seen = new Set<unknown>()): string {
  seen.add(schema);
  const shape: unknown = "shape" in schema ? schema.shape : undefined;
  if (!isJsonObject(shape)) return "";
  for (const [key, member] of Object.entries(shape)) {
    if (!isStandardSchema(member) || seen.has(member)) continue;
    try {
      member["~standard"].jsonSchema[side]({ target: "draft-2020-12" });
    } catch {
      const deeper = locateFailure(member, side, seen);
      return deeper === "" ? key : `${key}.${deeper}`;
    }
  }
  return "";
}

function fail(use: SchemaUse, problem: string, cause?: unknown): Error {
  return new Error(`${use.label} ${problem}`, cause === undefined ? undefined : { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
