/**
 * @fileoverview Wraps a tool's logic in a handler. The logic throws; the handler catches and formats.
 * @module app/tools/define-tool-handler
 */
import { Call } from "tenon/host";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { ErrorName } from "tenon/protocol";
import { type RequestContextService, requestContextService } from "../context/request-context-service.js";
import type { RequestContext } from "../context/request-context.js";
import { currentCall, currentScope, runInScope } from "../context/scope.js";
import { ErrorHandler } from "../errors/error-handler.js";

/** Options of `defineToolHandler`. */
export interface ToolHandlerOptions<Params, Result extends object> {
  readonly toolName: string;
  /** Business logic. Takes validated parameters, and returns a result or throws an `McpError`. */
  readonly logic: (params: Params, context: RequestContext) => MaybePromise<Result>;
  /** @default the application's shared handler */
  readonly errorHandler?: Pick<ErrorHandler, "handleError">;
  /** @default the application's shared service */
  readonly contextService?: RequestContextService;
}

/** Result of a tool, compatible with the types of Tenon and of the official SDK. */
export type HandledResult<Result> = {
  content: { type: "text"; text: string }[];
  structuredContent: Result & { [key: string]: unknown };
  isError?: false;
};

/** Result of a tool whose logic failed. */
export type HandledFailure = {
  content: { type: "text"; text: string }[];
  structuredContent: {
    [key: string]: unknown;
    code: ErrorName;
    message: string;
    details?: Readonly<Record<string, unknown>> | undefined;
  };
  isError: true;
};

/** Handler for `.tool()` and for `registerTool` of the official SDK. */
export type StandardToolHandler<Params, Result> = (
  params: Params,
  callContext?: unknown,
) => MaybePromise<HandledResult<Result> | HandledFailure>;

/**
 * Creates a tool handler from its logic. Every call gets a child context. The result is returned as data and as text.
 * Errors are logged once and returned in the standard format. Synchronous logic stays synchronous.
 *
 * @example server.registerTool("echo", { inputSchema }, defineToolHandler({ toolName: "echo", logic: echoLogic }));
 */
export function defineToolHandler<Params, Result extends object>(
  options: ToolHandlerOptions<Params, Result>,
): StandardToolHandler<Params, Result> {
  const { toolName, logic, errorHandler = ErrorHandler, contextService = requestContextService } = options;
  const operation = `tool:${toolName}`;
  return (params, callContext) => {
    const call = callContext instanceof Call ? callContext : currentCall();
    const context = contextService.createRequestContext({
      parentContext: callContext ?? currentScope()?.context,
      operation: "HandleToolRequest",
      toolName,
      input: params,
    });
    const fail = (error: unknown): HandledFailure => {
      // A question to the user is pending: the call continues, so this is not a failure.
      if (call?.questions?.open === true) throw error;
      const { code, message, details } = errorHandler.handleError(error, {
        operation,
        context,
        input: params,
      });
      return {
        isError: true,
        content: [{ type: "text", text: `Error: ${message}` }],
        structuredContent: details === undefined ? { code, message } : { code, message, details },
      };
    };
    try {
      const result = runInScope({ call, context }, () => logic(params, context));
      return isPromise(result) ? result.then(toResult).catch(fail) : toResult(result);
    } catch (error) {
      return fail(error);
    }
  };
}

function toResult<Result extends object>(result: Result): HandledResult<Result> {
  return {
    content: [{ type: "text", text: `Success: ${JSON.stringify(result, null, 2)}` }],
    // Structured content can be any object.
    structuredContent: result as Result & { [key: string]: unknown },
  };
}
