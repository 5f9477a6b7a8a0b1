/**
 * @fileoverview Central error handling: logs the full error and returns a version that is safe for clients.
 * @module app/errors/error-handler
 */
import { isInstance } from "@tenon/internal/thrown";
import { isPromise } from "@tenon/internal/maybe-promise";
import { fromSdkError, isSdkError } from "tenon/host";
import { read, safeMessage } from "@tenon/internal/security/safe-text";
import { type BaseErrorCode, type ErrorName, McpError } from "tenon/protocol";
import { logger as applicationLogger, type ContextLogger } from "../logging/logger.js";
import { determineErrorCode, publicSentence, textOf } from "./error-code.js";

/** Facts that are known where an error is caught. */
export interface HandleErrorOptions {
  /** Human-readable name of the operation, such as `tool:echo_message`. */
  readonly operation: string;
  /** Request context. */
  readonly context?: object;
  /** Input of the operation. It is logged without secrets. */
  readonly input?: unknown;
  /**
   * Throws the error instead of returning it.
   * @default false
   */
  readonly rethrow?: boolean;
  /** Error code to use instead of the detected one. */
  readonly errorCode?: ErrorName;
  /** Maps the error to another one. Its message is sent to the client. */
  readonly errorMapper?: (error: unknown) => Error;
  /**
   * Logs stack traces.
   * @default true
   */
  readonly includeStack?: boolean;
  /**
   * Logs at `crit` instead of `error`.
   * @default false
   */
  readonly critical?: boolean;
}

/** Rule of `mapError`. */
export interface ErrorMapping {
  /** Substring of the message (case-insensitive), or a pattern. */
  readonly pattern: string | RegExp;
  readonly factory: (error: unknown) => Error;
}

/** Error as plain data for a client. */
export interface FormattedError {
  readonly code: ErrorName;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Handles errors. Only `tryCatch` and the `rethrow` option throw. */
export interface ErrorHandler {
  /**
   * Logs an error once and returns the error for the client. The message of an `McpError` is kept. Any other error is
   * replaced by the operation's name and a generic message for its code. The original error is the `cause`.
   */
  handleError(error: unknown, options: HandleErrorOptions): McpError;
  /** Runs a function. Errors and rejections are handled and always rethrown. */
  tryCatch<T>(run: () => T, options: Omit<HandleErrorOptions, "rethrow">): T;
  /** Returns the `BaseErrorCode` of an error. */
  determineErrorCode(error: unknown): BaseErrorCode;
  /** Returns the error of the first matching rule, else of `defaultFactory`, else the error itself. */
  mapError(
    error: unknown,
    mappings: readonly ErrorMapping[],
    defaultFactory?: (error: unknown) => Error,
  ): Error;
  /** Returns the parts of an error that are safe for a client, as data. */
  formatError(error: unknown): FormattedError;
}

/** Creates an error handler. */
export function createErrorHandler(options: {
  readonly logger: Pick<ContextLogger, "error" | "crit">;
  /**
   * Sends the messages of unexpected errors to clients. Off by default, to avoid leaking internals.
   * @default false
   */
  readonly exposeErrors?: boolean;
}): ErrorHandler {
  const { logger, exposeErrors = false } = options;
  const sentenceFor = (error: unknown, code: ErrorName) =>
    exposeErrors ? safeMessage(error) : publicSentence(determineErrorCode(new McpError(code, "")));

  const toClientError = (error: unknown, { operation, errorCode, errorMapper }: HandleErrorOptions) => {
    const mapped = errorMapper === undefined ? undefined : attempt(() => errorMapper(error));
    const own = toOwn(mapped ?? error);
    if (own !== undefined) {
      if (errorCode === undefined || errorCode === own.code) return own;
      return new McpError(errorCode, own.message, own.details, { cause: error });
    }
    const code = errorCode ?? determineErrorCode(mapped ?? error);
    const said = mapped === undefined ? sentenceFor(error, code) : safeMessage(mapped);
    return new McpError(code, `Error in ${operation}: ${said}`, undefined, { cause: error });
  };

  const handleError: ErrorHandler["handleError"] = (error, handling) => {
    const { operation, context, input, rethrow = false, includeStack = true, critical = false } = handling;
    const told = toClientError(error, handling);
    const text = told.message.startsWith("Error in ")
      ? told.message
      : `Error in ${operation}: ${told.message}`;
    logger[critical ? "crit" : "error"](text, context, {
      errorCode: told.code,
      critical,
      error: includeStack ? error : withoutStack(error),
      ...(input === undefined ? {} : { input }),
    });
    if (rethrow) throw told;
    return told;
  };

  return Object.freeze<ErrorHandler>({
    handleError,
    tryCatch: (run, handling) =>
      catchFailure(run, (error) => {
        throw handleError(error, handling);
      }),
    determineErrorCode,
    mapError,
    formatError(error) {
      const own = toOwn(error);
      if (own === undefined) {
        const code = determineErrorCode(error);
        return { code, message: sentenceFor(error, code) };
      }
      const { code, message, details } = own;
      return details === undefined ? { code, message } : { code, message, details };
    },
  });
}

/** Shared error handler of the application. It uses the application's logger. */
export const ErrorHandler: ErrorHandler = /* @__PURE__ */ createErrorHandler({ logger: applicationLogger });

/** Runs a function and calls `fail` with its error or rejection. */
function catchFailure<T>(run: () => T, fail: (error: unknown) => never): T {
  try {
    const result = run();
    // `Promise.prototype.catch` returns a promise of the same value.
    return isPromise(result) ? (result.catch(fail) as T) : result;
  } catch (error) {
    return fail(error);
  }
}

function mapError(
  error: unknown,
  mappings: readonly ErrorMapping[],
  defaultFactory?: (error: unknown) => Error,
): Error {
  const text = textOf(error);
  const matching = mappings.find(({ pattern }) => matches(pattern, text));
  const factory = matching?.factory ?? defaultFactory;
  if (factory !== undefined) return factory(error);
  return error instanceof Error ? error : new Error(safeMessage(error), { cause: error });
}

/** Returns an error that may be sent to clients: an `McpError`, or a converted error of the official SDK. */
function toOwn(error: unknown): McpError | undefined {
  if (isInstance(error, McpError)) return error;
  return isSdkError(error) ? fromSdkError(error) : undefined;
}

function matches(pattern: string | RegExp, text: string): boolean {
  // `search` ignores `lastIndex`, unlike `test` on a global pattern.
  return typeof pattern === "string"
    ? text.toLowerCase().includes(pattern.toLowerCase())
    : text.search(pattern) !== -1;
}

/** Drops the stack, to keep log entries short. */
function withoutStack(error: unknown): unknown {
  return error instanceof Error ? { name: read(error, "name"), message: read(error, "message") } : error;
}

function attempt<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch {
    // An error in the mapper must not hide the original error.
    return undefined;
  }
}
