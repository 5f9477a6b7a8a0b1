/**
 * @fileoverview Checks the arguments of a call against a JSON Schema of any dialect. The schema may come from an
 * untrusted server, so the time is limited. A schema that the validator cannot use accepts every value: the server
 * checks its arguments again.
 * @module agent/tools/check-arguments
 */
import type { TLocalizedValidationError } from "typebox/error";
import { Check, Errors } from "typebox/schema";
import type { JsonObject } from "@tenon/internal/json";
import { runLimited } from "@tenon/internal/limits/run-limited";
import type { ParamIssue } from "../shared/errors.js";
import { explainErrors } from "./explain-errors.js";
import { toUsableSchema } from "./usable-schema.js";

/** Checks a value. Returns the first issues, or an empty array if the value matches the schema. */
export function checkArguments(schema: JsonObject, value: unknown): readonly ParamIssue[] {
  if (SLOW_SCHEMAS.has(schema)) return [];
  try {
    const checked = runLimited(() => findErrors(schema, value), MAX_MS);
    if (checked.ok) return explainErrors(checked.value, value);
    SLOW_SCHEMAS.add(schema);
    return [];
  } catch {
    return []; // the validator cannot use the schema
  }
}

function findErrors(schema: JsonObject, value: unknown): readonly TLocalizedValidationError[] {
  const usable = toUsableSchema(schema, schema) as JsonObject; // Safe: a copy of an object
  return Check(usable, value) ? [] : Errors(usable, value)[1];
}

/** Maximum time for one check. A check blocks the process, so that a slow schema is tried only once. */
const MAX_MS = 500;
const SLOW_SCHEMAS = new WeakSet<JsonObject>();
