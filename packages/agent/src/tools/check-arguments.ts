/**
 * @fileoverview Checks the arguments of a call against a JSON Schema of any dialect. The schema may come from an
 * untrusted server, so the time is limited. A schema that the validator cannot use accepts every value: the server
 * checks its arguments again.
 * @module agent/tools/check-arguments
 */
import { createContext, Script } from "node:vm";
import type { TLocalizedValidationError } from "typebox/error";
import { Check, Errors } from "typebox/schema";
import type { JsonObject } from "@tenon/internal/json";
import type { ParamIssue } from "../shared/errors.js";
import { explainErrors } from "./explain-errors.js";
import { toUsableSchema } from "./usable-schema.js";

/** Checks a value. Returns the first issues, or an empty array if the value matches the schema. */
export function checkArguments(schema: JsonObject, value: unknown): readonly ParamIssue[] {
  let errors: readonly TLocalizedValidationError[];
  try {
    errors = runWithin(MAX_MS, () => {
      const usable = toUsableSchema(schema, schema) as JsonObject; // Safe: a copy of an object
      return Check(usable, value) ? [] : Errors(usable, value)[1];
    });
  } catch (error) {
    if (!(error instanceof Error && "code" in error) || error.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT")
      return [];
    return [{ path: [], message: `Checking the arguments took longer than ${MAX_MS} ms` }];
  }
  return explainErrors(errors, value);
}

const MAX_MS = 1_000;

/** Runs a synchronous function. Its time is limited even inside a regular expression, which nothing else can stop. */
function runWithin<Result>(timeout: number, run: () => Result): Result {
  sandbox ??= { script: new Script("run()"), globals: createContext({ run }) };
  sandbox.globals["run"] = run;
  return sandbox.script.runInContext(sandbox.globals, { timeout }) as Result; // Safe: the script returns the result
}

let sandbox: { readonly script: Script; readonly globals: Record<string, unknown> } | undefined;
