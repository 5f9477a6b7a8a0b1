/**
 * @fileoverview `tenon/json-schema`: validates values against JSON Schema 2020-12 with typebox.
 * @module tenon/schema/json-schema
 */
import type * as TypeboxSchema from "typebox/schema";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { parsePointer } from "@tenon/internal/schema/json-pointer";
import { isUrl } from "@tenon/internal/security/is-url";
import type { CheckResult, Issue, JsonSchemaCompiler } from "../schema.js";
import { findSchemaProblems } from "./references.js";

export type { JsonSchemaCompiler } from "../schema.js";

/**
 * Loads the JSON Schema validator. It compiles schemas to code if the runtime allows it, and otherwise interprets them,
 * as in Workers.
 *
 * @example defineServer({ name: "files", version: "1.0.0", jsonSchema: await loadJsonSchema() })
 * @throws if typebox is not installed
 */
export async function loadJsonSchema(): Promise<JsonSchemaCompiler> {
  const typebox = await import("typebox/schema").catch((cause: unknown) => {
    throw new Error('tenon/json-schema requires the package "typebox". Install it: npm install typebox', {
      cause,
    });
  });
  return (schema) => compile(typebox, schema);
}

type Typebox = typeof TypeboxSchema;

function compile(typebox: Typebox, source: JsonObject): (value: unknown) => CheckResult {
  const schema = withBase(structuredClone(source)); // the source may be frozen or shared
  const meta = typebox.Meta["https://json-schema.org/draft/2020-12/schema"];
  // Without this check, unknown types and misplaced keywords would be ignored and would accept every value.
  const problems = typebox.Check(meta, schema)
    ? findSchemaProblems(schema, (part) => typebox.Check(meta, part))
    : [...new Set(typebox.Errors(meta, schema)[1].map((one) => `${one.instancePath || "/"} ${one.message}`))];
  if (problems.length > 0) throw new Error(`is not a valid JSON Schema: ${problems.slice(0, 5).join("; ")}.`);

  const accepts = fastCheck(typebox, schema) ?? ((value: unknown) => typebox.Check(schema, value));
  return (value) => {
    try {
      return accepts(value) ? { value } : { issues: explain(typebox, schema, value) };
    } catch (error) {
      if (error instanceof RangeError) return { issues: [{ message: "is nested too deeply to validate" }] };
      throw error;
    }
  };
}

/** Gives a schema an absolute base URI, which relative references require. */
function withBase(schema: JsonObject): JsonObject {
  if (!isJsonObject(schema)) return schema;
  const id = schema["$id"];
  return {
    ...schema,
    $id: typeof id === "string" && isUrl(id, "schema:/") ? new URL(id, "schema:/").href : (id ?? "schema:/"),
  };
}

/**
 * Compiles a schema to code. Returns `undefined` if typebox would interpret it, because interpreting validators keep
 * state.
 */
function fastCheck(typebox: Typebox, schema: JsonObject): ((value: unknown) => boolean) | undefined {
  try {
    const validator = typebox.Compile(schema);
    return validator.IsAccelerated() ? (value) => validator.Check(value) : undefined;
  } catch {
    return undefined;
  }
}

function explain(typebox: Typebox, schema: JsonObject, value: unknown): readonly Issue[] {
  const [, errors] = typebox.Errors(schema, value);
  const issues = errors.flatMap((one): readonly Issue[] => {
    const path = parsePointer(one.instancePath);
    const named = (names: readonly string[], message: string) =>
      names.map((name) => ({ path: [...path, name], message }));
    switch (one.keyword) {
      case "required":
        return named(one.params.requiredProperties, "is required");
      case "unevaluatedProperties":
        return named(one.params.unevaluatedProperties.map(String), "is not allowed");
      case "boolean":
        return [{ path, message: "is not allowed" }];
      case "additionalProperties":
        return []; // already reported as `boolean` for each property
      default:
        return [{ path, message: one.message }];
    }
  });
  return issues.length > 0 ? issues : [{ message: "does not match the schema" }];
}
