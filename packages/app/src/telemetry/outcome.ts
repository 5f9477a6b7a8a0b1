/**
 * @fileoverview Outcome of an operation, for logs, spans and metrics.
 * @module app/telemetry/outcome
 */
import type { Operation, OperationResult } from "tenon";
import { PartError } from "tenon/host";
import { isInstance } from "@tenon/internal/thrown";
import { toPublicError } from "tenon/host";
import { isJsonObject } from "@tenon/internal/json";
import { type ErrorName, isErrorName } from "tenon/protocol";
import { determineErrorCode } from "../errors/error-code.js";

/** Outcome of an operation. */
export type Outcome =
  | { readonly isSuccess: true }
  | {
      readonly isSuccess: false;
      readonly errorCode: ErrorName;
      /** The thrown value. Absent if the handler returned an error result itself. */
      readonly error?: unknown;
    };

/** Returns the outcome for a result. Never throws, even if reading the result throws. */
export function outcomeOfResult({ kind }: Operation, result: OperationResult): Outcome {
  try {
    if (kind !== "tool" || !("isError" in result) || !result.isError) return SUCCESS;
    const { structuredContent } = result;
    const code = isJsonObject(structuredContent) ? structuredContent["code"] : undefined;
    return { isSuccess: false, errorCode: isErrorName(code) ? code : "UNKNOWN_ERROR" };
  } catch {
    // An unreadable result cannot be sent to the client.
    return { isSuccess: false, errorCode: "INTERNAL_ERROR" };
  }
}

/**
 * Returns the outcome for a thrown value. A question to the user also throws, and is not a failure. Never throws.
 */
export function outcomeOfError({ call }: Operation, thrown: unknown): Outcome {
  if (call.questions?.open === true) return SUCCESS;
  const error = isInstance(thrown, PartError) ? thrown.cause : thrown;
  return { isSuccess: false, errorCode: toPublicError(error)?.code ?? determineErrorCode(error), error };
}

const SUCCESS: Outcome = { isSuccess: true };
