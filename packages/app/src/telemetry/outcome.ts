/**
 * @fileoverview How an operation ended, as logs, spans and metrics tell it.
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
      /** What was thrown; nothing where the handler answered with a failure itself. */
      readonly error?: unknown;
    };

/** The outcome of an operation that gave a result. Never throws, also for a result that throws when it is read. */
export function outcomeOfResult({ kind }: Operation, result: OperationResult): Outcome {
  try {
    if (kind !== "tool" || !("isError" in result) || !result.isError) return SUCCESS;
    const { structuredContent } = result;
    const code = isJsonObject(structuredContent) ? structuredContent["code"] : undefined;
    return { isSuccess: false, errorCode: isErrorName(code) ? code : "UNKNOWN_ERROR" };
  } catch {
    // It cannot be sent either.
    return { isSuccess: false, errorCode: "INTERNAL_ERROR" };
  }
}

/**
 * The outcome of an operation that threw. A question to the user ends a handler this way too, and is not a failure.
 * Never throws.
 */
export function outcomeOfError({ call }: Operation, thrown: unknown): Outcome {
  if (call.questions?.open === true) return SUCCESS;
  const error = isInstance(thrown, PartError) ? thrown.cause : thrown;
  return { isSuccess: false, errorCode: toPublicError(error)?.code ?? determineErrorCode(error), error };
}

const SUCCESS: Outcome = { isSuccess: true };
