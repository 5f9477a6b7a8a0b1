/**
 * @fileoverview Turns a JSON Schema into a schema that tools and prompts accept.
 * @module sdk/v2/json-schema
 */
import type { JsonSchemaCompiler } from "tenon/json-schema";
import type { JsonObject } from "@tenon/internal/json";
import type { Checked, StandardSchemaWithJSON } from "./types.js";

/** A JSON Schema validator of the official SDK, such as `AjvJsonSchemaValidator`. */
export interface JsonSchemaValidator {
  getValidator(schema: never): (input: unknown) => {
    readonly valid: boolean;
    readonly data?: unknown;
    readonly errorMessage?: string | undefined;
  };
}

/**
 * Turns a JSON Schema into a schema for `inputSchema`, `outputSchema`, or `argsSchema`.
 *
 * @param validator a validator of the official SDK. Without one, values are validated with `typebox`, which must then
 * be installed.
 */
export function fromJsonSchema<T = unknown>(
  schema: object,
  validator?: JsonSchemaValidator,
): StandardSchemaWithJSON<T, T> {
  const jsonSchema = schema as JsonObject & Record<string, unknown>; // Safe: a JSON Schema is a JSON object
  const validate = validator === undefined ? validateLater(jsonSchema) : validateNow(jsonSchema, validator);
  return {
    "~standard": {
      version: 1,
      vendor: "tenon",
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
      // Safe: the caller states the type that the JSON Schema describes.
      validate: validate as (value: unknown) => Checked<T> | Promise<Checked<T>>,
    },
  };
}

type Validate = (value: unknown) => Checked<unknown> | Promise<Checked<unknown>>;

function validateNow(schema: JsonObject, validator: JsonSchemaValidator): Validate {
  const check = validator.getValidator(schema as never); // Safe: any validator accepts a JSON Schema object
  return (value) => {
    const { valid, data = value, errorMessage = "does not match the schema" } = check(value);
    return valid ? { value: data } : { issues: [{ message: errorMessage }] };
  };
}

/** Compiles the schema when the first value arrives, because `typebox` is optional and loaded only if it is used. */
function validateLater(schema: JsonObject): Validate {
  let check: ReturnType<JsonSchemaCompiler> | undefined;
  return async (value) => {
    if (check === undefined) {
      const { loadJsonSchema } = await import("tenon/json-schema");
      check = (await loadJsonSchema())(schema);
    }
    return check(value); // Safe: both are the result of a Standard Schema
  };
}
