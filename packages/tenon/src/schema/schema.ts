/**
 * @fileoverview The kinds of schema that a definition may use, and the types that flow from them.
 * @module schema/schema
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** A schema of a library that validates and knows its JSON Schema: Zod 4, ArkType, Valibot and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** What a definition accepts: a library's schema, or JSON Schema 2020-12 as data. */
export type Schema = StandardSchema | JsonObject;

/** What a value must be before it is validated. */
export type InputOf<S> = S extends StandardSchema ? StandardSchemaV1.InferInput<S> : JsonObject;

/** What a value is after it was validated. */
export type OutputOf<S> = S extends StandardSchema ? StandardSchemaV1.InferOutput<S> : JsonObject;

/** One thing wrong with a value. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A valid value, or what is wrong with it. */
export type CheckResult = ValidatedCall | { readonly issues: readonly Issue[] };

/** What a check gave for a value that it accepts. */
export interface ValidatedCall {
  readonly value: unknown;
  readonly issues?: undefined;
}

/** A schema made ready at build: what clients see, and the function that checks values. */
export interface CompiledSchema {
  readonly jsonSchema: JsonObject;
  readonly check: (value: unknown) => MaybePromise<CheckResult>;
}

/** Turns JSON Schema into a checking function; throws for a schema that is wrong. See `tenon/json-schema`. */
export type JsonSchemaCompiler = (schema: JsonObject) => (value: unknown) => CheckResult;
