/**
 * @fileoverview Compiles the schema of a tool's parameters, from any library that implements Standard Schema.
 * @module agent/tools/compile-params
 */
import type { StandardSchema } from "tenon";
import { type CompiledSchema, compileSchema } from "tenon/host";
import { RegistrationError } from "../shared/errors.js";

/**
 * Compiles a schema to JSON Schema and a check. The result is cached per schema.
 *
 * @param label start of the error message
 * @throws {RegistrationError} if the schema cannot be converted to JSON Schema
 */
export function compileParams(schema: StandardSchema, label: string): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  try {
    const result = compileSchema(schema, { label, side: "input" });
    compiled.set(schema, result);
    return result;
  } catch (cause) {
    throw new RegistrationError(cause instanceof Error ? cause.message : `${label} is not valid.`, { cause });
  }
}

const compiled = new WeakMap<StandardSchema, CompiledSchema>();
