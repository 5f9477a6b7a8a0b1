/**
 * @fileoverview How an operation ended, as logs, spans and metrics tell it.
 * @module app/telemetry/outcome
 */
import type { Operation, OperationResult } from "../../core/middleware.js";
import { PartError } from "../../core/tool.js";
import { isJsonObject } from "../../internal/json.js";
import { isErrorName } from "../../kit/error-facts.js";
import { type ErrorName, McpError } from "../../protocol/index.js";
import { determineErrorCode } from "../errors/error-code.js";

/** How an operation ended. */
export type Outcome =
  | { readonly isSuccess: true }
  | {
      readonly isSuccess: false;
      readonly errorCode: ErrorName;
      /** What was thrown; nothing where the handler answered with a failure itself. */
      readonly error?: unknown;
    };

/** The outcome of an operation that gave a result. */
export function outcomeOfResult({ kind }: Operation, result: OperationResult): Outcome {
  if (kind !== "tool" || !("isError" in result) || !result.isError) return SUCCESS;
  const { structuredContent } = result;
  const code = isJsonObject(structuredContent) ? structuredContent["code"] : undefined;
  const isKnown = typeof code === "string" && isErrorName(code);
  return { isSuccess: false, errorCode: isKnown ? code : "UNKNOWN_ERROR" };
}

/** The outcome of an operation that threw. A question to the user ends a handler this way too, and is no failure. */
export function outcomeOfError({ call }: Operation, thrown: unknown): Outcome {
  if (call.questions?.open === true) return SUCCESS;
  const error = thrown instanceof PartError ? thrown.cause : thrown;
  return {
    isSuccess: false,
    errorCode: error instanceof McpError ? error.code : determineErrorCode(error),
    error,
  };
}

const SUCCESS: Outcome = { isSuccess: true };
