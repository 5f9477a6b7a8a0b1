/**
 * @fileoverview Compiles schemas to JSON Schema and a check function. Runs only at build time.
 * @module tenon/schema/compile
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import type { CompiledSchema, JsonSchemaCompiler, Schema, StandardSchema } from "./schema.js";
import { createZodCheck, isZodSchema } from "./zod-check.js";

/** Context in which a schema is used. */
export interface SchemaUse {
  /** Start of error messages, such as `Tool "forecast": the input schema`. */
  readonly label: string;
  /** Side of a transforming schema that clients see. */
  readonly side: "input" | "output";
  /** Validator for schemas given as JSON Schema. */
  readonly jsonSchema?: JsonSchemaCompiler | undefined;
  /** True if a Standard Schema certainly converts to JSON Schema. It is then converted on first use. */
  readonly isConvertible?: boolean;
}

/**
 * Compiles a Standard Schema or a JSON Schema.
 *
 * @throws if the schema cannot be used; the message contains the label and the path
 */
export function compileSchema(schema: Schema, use: SchemaUse): CompiledSchema {
  if (isStandardSchema(schema)) {
    if (use.isConvertible === true) return compileLater(schema, use);
    return {
      jsonSchema: frozenCopy(toJsonSchema(schema, use)),
      check: checkOf(schema),
    };
  }
  if (!isJsonObject(schema)) {
    throw fail(
      use,
      `must be a Standard Schema (such as z.object({ … })) or a JSON Schema; got ${kindOf(schema)}.`,
    );
  }
  if (isOldZod(schema)) throw fail(use, `cannot be converted to JSON Schema. ${remedy("zod")}`);
  if (Object.values(schema).some((one) => isStandardSchema(one) || isOldZod(one)))
    throw fail(use, "is a plain object of schemas. Wrap it in z.object({ … }).");
  if (use.jsonSchema === undefined && Object.keys(schema).length === 0)
    throw fail(use, "is an empty object. Omit it, or use z.object({}).");
  if (use.jsonSchema === undefined) {
    throw fail(
      use,
      "is a JSON Schema, which requires a validator. Install typebox (npm install typebox) and pass " +
        '`jsonSchema: await loadJsonSchema()` from "tenon/json-schema" to `defineServer`.',
    );
  }
  try {
    return { jsonSchema: frozenCopy(schema), check: use.jsonSchema(schema) };
  } catch (error) {
    throw fail(use, messageOf(error), error);
  }
}

/** Compiles a schema whose JSON Schema is created on first use: a call needs only the check. */
function compileLater(schema: StandardSchema, use: SchemaUse): CompiledSchema {
  let converted: JsonObject | undefined;
  return {
    get jsonSchema() {
      return (converted ??= frozenCopy(toJsonSchema(schema, use)));
    },
    check: checkOf(schema),
  };
}

function checkOf(schema: StandardSchema): CompiledSchema["check"] {
  const { validate, vendor } = schema["~standard"];
  return vendor === "zod" && isZodSchema(schema) ? createZodCheck(schema, validate) : validate;
}

/** Narrows a value to a schema from a Standard Schema library. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (
    ((typeof schema === "object" && schema !== null) || typeof schema === "function") &&
    "~standard" in schema &&
    isJsonObject(schema["~standard"])
  );
}

/** Returns true for a schema from Zod 3 before 3.24, which does not implement Standard Schema. */
function isOldZod(schema: unknown): boolean {
  return isJsonObject(schema) && isJsonObject(schema["_def"]) && typeof schema["safeParse"] === "function";
}

function toJsonSchema(schema: StandardSchema, use: SchemaUse): JsonObject {
  const { jsonSchema, vendor } = schema["~standard"] as Partial<StandardSchema["~standard"]>;
  if (jsonSchema === undefined) throw fail(use, `cannot be converted to JSON Schema. ${remedy(vendor)}`);
  try {
    return jsonSchema[use.side]({ target: "draft-2020-12" });
  } catch (error) {
    const path = locateFailure(schema, use.side);
    throw fail(
      use,
      `cannot be converted to JSON Schema${path === "" ? "" : ` at "${path}"`}: ${messageOf(error)}`,
      error,
    );
  }
}

function remedy(vendor: string | undefined): string {
  if (vendor === "zod") return "Use zod 4.2 or later; Zod 3 schemas are not supported.";
  if (vendor === "valibot") return "Wrap it with `toStandardJsonSchema` from `@valibot/to-json-schema`.";
  const library = vendor === undefined ? "Its library" : `The library "${vendor}"`;
  return (
    `${library} does not implement Standard JSON Schema. ` +
    "Use a library that does, such as zod 4.2 or later."
  );
}

/** Returns the path to the innermost member that cannot be converted, or an empty string. */
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
