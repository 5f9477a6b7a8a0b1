/**
 * @fileoverview Classifies errors and provides a message for clients for each code.
 * @module app/errors/error-code
 */
import { isSdkError, fromSdkError } from "tenon/host";
import { read } from "@tenon/internal/security/safe-text";
import { isInstance } from "@tenon/internal/thrown";
import { BaseErrorCode, ERRORS, isErrorName, McpError } from "tenon/protocol";

/**
 * Returns the `BaseErrorCode` for an error. Checks its own code, its system code, its type, and its message, in this
 * order. Returns `INTERNAL_ERROR` if none match. Never throws.
 */
export function determineErrorCode(error: unknown): BaseErrorCode {
  if (isInstance(error, McpError)) {
    const code = read(error, "code");
    return isErrorName(code) ? ERRORS[code].base : "INTERNAL_ERROR";
  }
  if (isSdkError(error)) return ERRORS[fromSdkError(error).code].base;
  // `fetch` reports network errors as a TypeError with the system code in its `cause`.
  return (
    byCode(read(error, "code")) ??
    byCode(read(read(error, "cause"), "code")) ??
    byType(error) ??
    byMessage(textOf(error)) ??
    "INTERNAL_ERROR"
  );
}

/** Returns the generic message for a code, to send to clients instead of the error's own message. */
export function publicSentence(code: BaseErrorCode): string {
  return SENTENCES[code];
}

/** Returns a thrown value's message, cut to 2000 characters. */
export function textOf(error: unknown): string {
  const message = typeof error === "string" ? error : read(error, "message");
  return typeof message === "string" ? message.slice(0, MAX_TEXT) : "";
}

function byCode(code: unknown): BaseErrorCode | undefined {
  return typeof code === "string" ? SYSTEM_CODES.get(code) : undefined;
}

function byType(error: unknown): BaseErrorCode | undefined {
  const name = read(error, "name");
  const known = typeof name === "string" ? TYPES.get(name) : undefined;
  return (
    known ??
    (isInstance(error, Error) && Array.isArray(read(error, "issues")) ? "VALIDATION_ERROR" : undefined)
  );
}

function byMessage(text: string): BaseErrorCode | undefined {
  return MESSAGES.find(([pattern]) => pattern.test(text))?.[1];
}

const MAX_TEXT = 2_000;

const SYSTEM_CODES: ReadonlyMap<string, BaseErrorCode> = /* @__PURE__ */ new Map<string, BaseErrorCode>([
  ["ECONNREFUSED", "SERVICE_UNAVAILABLE"],
  ["ECONNRESET", "SERVICE_UNAVAILABLE"],
  ["ECONNABORTED", "SERVICE_UNAVAILABLE"],
  ["EHOSTUNREACH", "SERVICE_UNAVAILABLE"],
  ["ENETUNREACH", "SERVICE_UNAVAILABLE"],
  ["ENOTFOUND", "SERVICE_UNAVAILABLE"],
  ["EAI_AGAIN", "SERVICE_UNAVAILABLE"],
  ["EPIPE", "SERVICE_UNAVAILABLE"],
  ["UND_ERR_SOCKET", "SERVICE_UNAVAILABLE"],
  ["ETIMEDOUT", "TIMEOUT"],
  ["ESOCKETTIMEDOUT", "TIMEOUT"],
  ["ABORT_ERR", "TIMEOUT"],
  ["UND_ERR_CONNECT_TIMEOUT", "TIMEOUT"],
  ["UND_ERR_HEADERS_TIMEOUT", "TIMEOUT"],
  ["UND_ERR_BODY_TIMEOUT", "TIMEOUT"],
  ["ENOENT", "NOT_FOUND"],
  ["EACCES", "FORBIDDEN"],
  ["EPERM", "FORBIDDEN"],
  ["EEXIST", "CONFLICT"],
]);

const TYPES: ReadonlyMap<string, BaseErrorCode> = /* @__PURE__ */ new Map<string, BaseErrorCode>([
  ["SyntaxError", "VALIDATION_ERROR"],
  ["TypeError", "VALIDATION_ERROR"],
  ["RangeError", "VALIDATION_ERROR"],
  ["URIError", "VALIDATION_ERROR"],
  ["ZodError", "VALIDATION_ERROR"],
  ["$ZodError", "VALIDATION_ERROR"],
  ["ArgumentsError", "VALIDATION_ERROR"],
  ["ReferenceError", "INTERNAL_ERROR"],
  ["EvalError", "INTERNAL_ERROR"],
  ["AbortError", "TIMEOUT"],
  ["TimeoutError", "TIMEOUT"],
]);

/** Message patterns in order of precedence. For example, "invalid token" must not match the `invalid` rule. */
const MESSAGES: readonly (readonly [RegExp, BaseErrorCode])[] = [
  [
    /unauthori[sz]ed|unauthenticated|not authenticated|authentication|log ?in required|invalid token|expired token/i,
    "UNAUTHORIZED",
  ],
  [/forbidden|permission|access denied|not allowed|insufficient scope/i, "FORBIDDEN"],
  [/not found|no such|does ?n[o']t exist|missing (?:file|record|resource)/i, "NOT_FOUND"],
  [/invalid|malformed|validation|bad request|expected .{0,100}received|is required/i, "VALIDATION_ERROR"],
  [/conflict|already exists|duplicate|unique constraint/i, "CONFLICT"],
  [/rate limit|too many requests|throttl|quota/i, "RATE_LIMITED"],
  [/time[d ]?[ -]?out|deadline exceeded|aborted/i, "TIMEOUT"],
  [
    /unavailable|connection (?:refused|reset|closed)|socket hang up|network error|fetch failed/i,
    "SERVICE_UNAVAILABLE",
  ],
];

const SENTENCES: Readonly<Record<BaseErrorCode, string>> = {
  [BaseErrorCode.UNAUTHORIZED]: "Authentication is required.",
  [BaseErrorCode.FORBIDDEN]: "Permission denied.",
  [BaseErrorCode.NOT_FOUND]: "The requested item was not found.",
  [BaseErrorCode.CONFLICT]: "The request conflicts with existing data.",
  [BaseErrorCode.VALIDATION_ERROR]: "The data is invalid.",
  [BaseErrorCode.INVALID_INPUT]: "The input is invalid.",
  [BaseErrorCode.PARSING_ERROR]: "Could not parse the data.",
  [BaseErrorCode.RATE_LIMITED]: "Too many requests. Try again later.",
  [BaseErrorCode.TIMEOUT]: "The operation timed out.",
  [BaseErrorCode.SERVICE_UNAVAILABLE]: "A required service is unavailable. Try again later.",
  [BaseErrorCode.INTERNAL_ERROR]: "An unexpected error occurred.",
  [BaseErrorCode.UNKNOWN_ERROR]: "An unexpected error occurred.",
  [BaseErrorCode.CONFIGURATION_ERROR]: "The server is not configured correctly.",
  [BaseErrorCode.INITIALIZATION_FAILED]: "Could not start the server.",
  [BaseErrorCode.SERVICE_NOT_INITIALIZED]: "A required service is not ready.",
  [BaseErrorCode.DATABASE_ERROR]: "The database operation failed.",
  [BaseErrorCode.EXTENSION_ERROR]: "An extension failed.",
  [BaseErrorCode.SHUTDOWN_ERROR]: "The server is shutting down.",
  [BaseErrorCode.AGENT_EXECUTION_ERROR]: "The agent could not complete the task.",
};
