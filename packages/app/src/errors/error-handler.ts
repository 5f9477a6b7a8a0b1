/**
 * @fileoverview Central error handler: logs the full error and returns a version that is safe for clients.
 * @module app/errors/error-handler
 */
import { isInstance } from "@tenon/internal/thrown";
import { isPromise } from "@tenon/internal/maybe-promise";
import { fromSdkError, isSdkError } from "tenon/host";
import { read, safeMessage } from "@tenon/internal/security/safe-text";
import { type BaseErrorCode, type ErrorName, McpError } from "tenon/protocol";
import { requestContextService } from "../context/request-context-service.js";
import type { RequestContext } from "../context/request-context.js";
import { logger as applicationLogger, type ContextLogger } from "../logging/logger.js";
import { determineErrorCode, publicSentence, textOf } from "./error-code.js";

/** Options for `handleError`. */
export interface HandleErrorOptions {
  /** Name of the operation that failed, such as `tool:echo_message`. */
  readonly operation: string;
  /** Request context to log. */
  readonly context?: object;
  /** The operation's input. It is logged with secrets redacted. */
  readonly input?: unknown;
  /**
   * Throws the error instead of returning it.
   * @default false
   */
  readonly rethrow?: boolean;
  /** Overrides the detected error code. */
  readonly errorCode?: ErrorName;
  /** Replaces the error. The new error's message is sent to the client. */
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

/** Rule for `mapError`. */
export interface ErrorMapping {
  /** Case-insensitive substring of the message, or a regular expression. */
  readonly pattern: string | RegExp;
  /** Creates the replacement from the original error. */
  readonly factory: (error: unknown) => Error;
}

/** Error as plain data that is safe for clients. */
export interface FormattedError {
  readonly code: ErrorName;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Error handler. Its methods throw only in `tryCatch` and with the `rethrow` option. */
export interface ErrorHandler {
  /**
   * Logs an error once and returns the error for the client. An `McpError` keeps its message. For any other error, the
   * client sees the operation's name and a generic message. The original error becomes the `cause`.
   */
  handleError(error: unknown, options: HandleErrorOptions): McpError;
  /** Runs a function. Errors and rejections are passed to `handleError` and always rethrown. */
  tryCatch<T>(run: () => T, options: Omit<HandleErrorOptions, "rethrow">): T;
  /** Returns the `BaseErrorCode` for any thrown value. Never throws. */
  determineErrorCode(error: unknown): BaseErrorCode;
  /** Applies the first rule whose pattern matches, or `defaultFactory`. If none matches, returns the error itself. */
  mapError(
    error: unknown,
    mappings: readonly ErrorMapping[],
    defaultFactory?: (error: unknown) => Error,
  ): Error;
  /** Returns the code, message, and details that are safe to send to a client. */
  formatError(error: unknown): FormattedError;
}

/** Creates an error handler that writes to the given logger. */
export function createErrorHandler(options: {
  /** Receives one entry per handled error. */
  readonly logger: Pick<ContextLogger, "error" | "crit">;
  /**
   * Sends the messages of unexpected errors to clients. They may reveal internals.
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
    logger[critical ? "crit" : "error"](text, context ?? contextOutside(operation), {
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

/** The application's shared error handler. It writes to the shared logger. */
export const ErrorHandler: ErrorHandler = /* @__PURE__ */ createErrorHandler({ logger: applicationLogger });

/** Runs a function and calls `fail` with its error or rejection. */
function catchFailure<T>(run: () => T, fail: (error: unknown) => never): T {
  try {
    const result = run();
    // Safe: `catch` resolves to the same value, because `fail` never returns.
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

/** Returns the error as an `McpError` if it is one, or if it is an official SDK error. Both are meant for clients. */
function toOwn(error: unknown): McpError | undefined {
  if (isInstance(error, McpError)) return error;
  return isSdkError(error) ? fromSdkError(error) : undefined;
}

function matches(pattern: string | RegExp, text: string): boolean {
  // Unlike `test`, `search` ignores the `lastIndex` of global patterns.
  return typeof pattern === "string"
    ? text.toLowerCase().includes(pattern.toLowerCase())
    : text.search(pattern) !== -1;
}

/** Creates the context for an operation outside of a request. Within one, the logger adds the request's context. */
function contextOutside(operation: string): RequestContext | undefined {
  const isInRequest = requestContextService.current() !== undefined;
  return isInRequest ? undefined : requestContextService.createRequestContext({ operation });
}

/** Reduces an error to its name and message. */
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
