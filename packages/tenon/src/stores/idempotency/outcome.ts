/**
 * @fileoverview Converts the outcome of a handler to a record, and a record to the outcome of a repeated call.
 * @module tenon/stores/idempotency/outcome
 */
import { isJsonObject } from "@tenon/internal/json";
import { isInstance } from "@tenon/internal/thrown";
import { URL_ELICITATION_REQUIRED } from "../../core/call/failure.js";
import type { Operation, OperationResult } from "../../core/call/middleware.js";
import { ArgumentsError } from "../../core/definitions/tool-errors.js";
import { toFailureResult } from "../../core/methods/call-tool.js";
import { McpError, type ToolResult } from "../../protocol/index.js";
import { RequestError } from "../../protocol/errors.js";
import { toPublicError } from "../../protocol/public-error.js";
import { utf8Length } from "../arguments.js";
import type { StoredOutcome } from "./records.js";

/** Outcome of a handler. */
export type HandlerOutcome = { readonly result: OperationResult } | { readonly error: unknown };

/**
 * Returns true if the call has not ended: its client has to answer a question, open a URL, or correct the arguments, and
 * then calls again with the same key.
 */
export function isUnfinished({ call }: Operation, outcome: HandlerOutcome): boolean {
  if (call.questions?.open === true) return true;
  if (!("error" in outcome)) return false;
  const { error } = outcome;
  return isInstance(error, ArgumentsError) || toPublicError(error)?.rpc === URL_ELICITATION_REQUIRED;
}

/** Returns true if the handler of a task failed because its signal was aborted. */
export function isStoppedTask({ call }: Operation, outcome: HandlerOutcome): boolean {
  return call.taskId !== undefined && "error" in outcome && call.signal.aborted;
}

/** Converts a handler's outcome to the one that is stored. */
export function toStoredOutcome(
  operation: Operation,
  outcome: HandlerOutcome,
  maxResultBytes: number,
): StoredOutcome {
  const stored =
    "error" in outcome ? fromError(operation, outcome.error) : fromResult(operation, outcome.result);
  return utf8Length(JSON.stringify(stored)) > maxResultBytes ? { state: "too-large" } : stored;
}

/** Returns the result of a stored outcome. @throws {RequestError} if the first call ended with a JSON-RPC error */
export function replay(outcome: StoredOutcome): ToolResult {
  if (outcome.state === "result") return outcome.result;
  if (outcome.state === "error") throw new RequestError(outcome.code, outcome.message, outcome.details);
  throw new RequestError(
    "CONFLICT",
    "The first call with this idempotency key has ended, but its result was too large to be stored.",
  );
}

function fromResult(operation: Operation, result: OperationResult): StoredOutcome {
  try {
    // Safe: the result of a tool. As JSON, because the handler may change its objects later.
    return { state: "result", result: JSON.parse(JSON.stringify(result)) as ToolResult };
  } catch (error) {
    return fromError(operation, error);
  }
}

function fromError(operation: Operation, thrown: unknown): StoredOutcome {
  const { name, call } = operation;
  const error = call.signal.aborted ? toAbortError(name, call.signal.reason) : thrown;
  const told = isInstance(error, RequestError) ? toPublicError(error) : undefined;
  if (told === undefined)
    return { state: "result", result: toFailureResult(name, error, call.incoming.services.exposeErrors) };
  const { code, message, details } = told;
  return { state: "error", code, message, ...(isJsonObject(details) ? { details } : {}) };
}

/** Returns the error for a handler that stopped because its call timed out or was cancelled. */
function toAbortError(name: string, reason: unknown): McpError {
  return isInstance(reason, McpError)
    ? reason
    : new McpError("SERVICE_UNAVAILABLE", `Tool ${name} was cancelled before it ended.`);
}
