/**
 * @fileoverview Schemas that version 2 accepts: Standard Schemas that convert themselves to JSON Schema, and raw shapes
 * of Zod 4 schemas.
 * @module sdk/v2/server/schemas
 */
import { compileSchema as compileAny, isStandardSchema, type Issue } from "tenon/host";
import type { JsonSchemaCompiler } from "tenon/json-schema";
import { isJsonObject, isPlainObject, type JsonObject } from "@tenon/internal/json";
import { isPlainInput } from "../../server/registrations/known-schemas.js";
import { onceBySchema } from "../../server/registrations/schemas.js";
import { toObjectSchema, toStandardSchema } from "../../server/registrations/zod-schemas.js";
import { listIssues } from "../../server/requests/errors.js";
import type { AnySchema, Shape } from "../../types.js";
import { ProtocolError, ProtocolErrorCode } from "../errors.js";
import type { Checked, StandardSchema, StandardSchemaWithJSON } from "../types.js";

/** Returns the schema of a registration. A raw shape is wrapped in an object schema. @throws for any other value */
export function toSchema(given: unknown): AnySchema | undefined {
  if (given === undefined) return undefined;
  if (isStandardSchema(given)) return given as unknown as AnySchema; // Safe: the core only uses the Standard Schema
  // Safe: every field was checked
  if (isPlainObject(given) && Object.values(given).every(isZod4)) return toObjectSchema(given as Shape);
  if (isJsonObject(given) && Object.values(given).some((field) => isJsonObject(field) && "_def" in field)) {
    throw new TypeError(
      "A raw shape must contain only Zod 4 schemas; got a Zod 3 schema. Upgrade to Zod 4, or import from `zod/v4`.",
    );
  }
  throw new TypeError(
    "`inputSchema`, `outputSchema`, and `argsSchema` must be a Standard Schema (such as z.object({ … })) or a raw shape of Zod schemas.",
  );
}

function isZod4(field: unknown): boolean {
  return typeof field === "object" && field !== null && "_zod" in field;
}

/** Compiles a schema. An input schema must describe an object. */
export const compileSchema = /* @__PURE__ */ onceBySchema((schema, label, side) => {
  const isConvertible = side === "input" && isPlainInput(schema);
  const compiled = compileAny(toStandardSchema(schema), { label, side, isConvertible });
  if (isConvertible) return compiled;
  const { jsonSchema } = compiled;
  const isObject = jsonSchema["type"] === undefined && (side === "input" || isObjectRoot(jsonSchema));
  return isObject ? { ...compiled, jsonSchema: Object.freeze({ type: "object", ...jsonSchema }) } : compiled;
});

/** Returns true if a schema without a type accepts only objects. */
function isObjectRoot(schema: JsonObject): boolean {
  if (["properties", "patternProperties", "additionalProperties", "required"].some((key) => key in schema))
    return true;
  const members = [schema["oneOf"], schema["anyOf"], schema["allOf"]].find(Array.isArray);
  return (
    members !== undefined &&
    members.length > 0 &&
    members.every((one: unknown) => isJsonObject(one) && (one["type"] === "object" || isObjectRoot(one)))
  );
}

/** Parses a value. @throws {ProtocolError} with the issues if it is invalid */
export async function parse(schema: StandardSchema, value: unknown, label: string): Promise<unknown> {
  const checked: Checked<unknown> = await schema["~standard"].validate(value);
  if (checked.issues === undefined) return checked.value;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${label}: ${describeIssues(checked.issues)}`);
}

/** Describes validation issues in one line. */
export function describeIssues(issues: readonly Issue[]): string {
  const describe = ({ path = [], message }: Issue) => {
    const where = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return where === "" ? message : `${where}: ${message}`;
  };
  return listIssues(issues, describe).join(", ");
}

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
