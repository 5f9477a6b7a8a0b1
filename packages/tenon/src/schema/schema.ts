/**
 * @fileoverview Schema types that definitions accept, and the types inferred from them.
 * @module tenon/schema/schema
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** Schema from a library that validates and converts to JSON Schema, such as Zod 4, ArkType, or Valibot. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** Schema in a definition: a Standard Schema, or a JSON Schema 2020-12 object. */
export type Schema = StandardSchema | JsonObject;

/**
 * Rejects a raw shape, such as `{ city: z.string() }`, at compile time. A shape is also a valid `JsonObject`, so it
 * would otherwise be taken for a JSON Schema.
 */
export type NotAShape<S> = S extends StandardSchema
  ? unknown
  : S extends JsonObject
    ? Extract<S[keyof S], StandardSchema> extends never
      ? unknown
      : "This is a plain object of schemas. Wrap it in z.object({ … })."
    : unknown;

/** Type of a value before validation. */
export type InputOf<S> = S extends StandardSchema ? StandardSchemaV1.InferInput<S> : JsonObject;

/** Type of a value after validation. */
export type OutputOf<S> = S extends StandardSchema ? StandardSchemaV1.InferOutput<S> : JsonObject;

/** Validation issue, with the path to the invalid value. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Validated value, or the issues that were found. */
export type CheckResult = ValidatedCall | { readonly issues: readonly Issue[] };

/** Check result for a valid value. */
export interface ValidatedCall {
  readonly value: unknown;
  readonly issues?: undefined;
}

/** Compiled schema: the JSON Schema for clients and the function that checks values. */
export interface CompiledSchema {
  readonly jsonSchema: JsonObject;
  readonly check: (value: unknown) => MaybePromise<CheckResult>;
}

/** Compiles a JSON Schema to a check function. Throws if the schema is invalid. See `tenon/json-schema`. */
export type JsonSchemaCompiler = (schema: JsonObject) => (value: unknown) => CheckResult;
