/**
 * @fileoverview The one place where errors end: logged in full, and turned into what a client may see.
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
  /** What was being done, for people: `tool:echo_message`. */
  readonly operation: string;
  /** The request context. */
  readonly context?: object;
  /** What the operation was given. It is logged without secrets. */
  readonly input?: unknown;
  /**
   * Throws the error that is otherwise returned.
   * @default false
   */
  readonly rethrow?: boolean;
  /** The name that the error gets, whatever it was. */
  readonly errorCode?: ErrorName;
  /** Says the error in other words, which are meant for the client. */
  readonly errorMapper?: (error: unknown) => Error;
  /**
   * Whether the log gets stacks.
   * @default true
   */
  readonly includeStack?: boolean;
  /**
   * Logs at `crit` instead of `error`.
   * @default false
   */
  readonly critical?: boolean;
}

/** One rule of `mapError`. */
export interface ErrorMapping {
  /** A part of the message, in any case, or a pattern. */
  readonly pattern: string | RegExp;
  readonly factory: (error: unknown) => Error;
}

/** An error as data for a client. */
export interface FormattedError {
  readonly code: ErrorName;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Handles errors. Only `tryCatch` and `rethrow` throw. */
export interface ErrorHandler {
  /**
   * Logs an error once and gives the error for the client. An `McpError` is told in its own words; of any other the
   * client learns what was being done and a sentence by the error's kind. The original is the `cause`.
   */
  handleError(error: unknown, options: HandleErrorOptions): McpError;
  /** Runs a function; what it throws, or rejects with, is handled and thrown on, always. */
  tryCatch<T>(run: () => T, options: Omit<HandleErrorOptions, "rethrow">): T;
  /** The name of an error in the application standard. */
  determineErrorCode(error: unknown): BaseErrorCode;
  /** The error of the first rule that fits, else of `defaultFactory`, else the error itself. */
  mapError(
    error: unknown,
    mappings: readonly ErrorMapping[],
    defaultFactory?: (error: unknown) => Error,
  ): Error;
  /** What a client may see of an error, as data. */
  formatError(error: unknown): FormattedError;
}

/** Creates an error handler. */
export function createErrorHandler(options: {
  readonly logger: Pick<ContextLogger, "error" | "crit">;
  /**
   * Lets the text of unexpected errors reach clients. Off, so that nothing of the inside leaks.
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

/** The application's one error handler, on the application's logger. */
export const ErrorHandler: ErrorHandler = /* @__PURE__ */ createErrorHandler({ logger: applicationLogger });

/** Runs a function. `fail` is called with what it throws, or what its promise rejects with. */
function catchFailure<T>(run: () => T, fail: (error: unknown) => never): T {
  try {
    const result = run();
    // `catch` of a promise returns a promise of the same value.
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

/** Returns an error that is meant to be sent: ours, or the official SDK's. */
function toOwn(error: unknown): McpError | undefined {
  if (isInstance(error, McpError)) return error;
  return isSdkError(error) ? fromSdkError(error) : undefined;
}

function matches(pattern: string | RegExp, text: string): boolean {
  // `search` has no memory of where a global pattern stopped.
  return typeof pattern === "string"
    ? text.toLowerCase().includes(pattern.toLowerCase())
    : text.search(pattern) !== -1;
}

/** For logs that must stay short. */
function withoutStack(error: unknown): unknown {
  return error instanceof Error ? { name: read(error, "name"), message: read(error, "message") } : error;
}

function attempt<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch {
    // What went wrong first is what matters.
    return undefined;
  }
}
