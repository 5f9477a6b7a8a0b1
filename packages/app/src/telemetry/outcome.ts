/**
 * @fileoverview Classifies the outcome of an operation for logs, spans, and metrics.
 * @module app/telemetry/outcome
 */
import type { Operation, OperationResult } from "tenon";
import { PartError } from "tenon/host";
import { isInstance } from "@tenon/internal/thrown";
import { toPublicError } from "tenon/host";
import { isJsonObject } from "@tenon/internal/json";
import { type ErrorName, isErrorName } from "tenon/protocol";
import { determineErrorCode } from "../errors/error-code.js";

/** Success, or the error code of a failure. */
export type Outcome =
  | { readonly isSuccess: true }
  | {
      readonly isSuccess: false;
      readonly errorCode: ErrorName;
      /** The thrown value. Absent if the handler returned an error result instead of throwing. */
      readonly error?: unknown;
    };

/** Classifies a result. Never throws, even if the result's getters do. */
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
 * Classifies a thrown value. A request for input also throws, but counts as a success. Never throws.
 */
export function outcomeOfError({ call }: Operation, thrown: unknown): Outcome {
  if (call.questions?.open === true) return SUCCESS;
  const error = isInstance(thrown, PartError) ? thrown.cause : thrown;
  return { isSuccess: false, errorCode: toPublicError(error)?.code ?? determineErrorCode(error), error };
}

const SUCCESS: Outcome = { isSuccess: true };
