/**
 * @fileoverview Wraps a tool's logic in a handler. The logic throws errors; the handler logs and formats them.
 * @module app/tools/define-tool-handler
 */
import { Call } from "tenon/host";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { ErrorName } from "tenon/protocol";
import { type RequestContextService, requestContextService } from "../context/request-context-service.js";
import type { RequestContext } from "../context/request-context.js";
import { currentCall, currentScope, runInScope } from "../context/scope.js";
import { ErrorHandler } from "../errors/error-handler.js";

/** Options for `defineToolHandler`. */
export interface ToolHandlerOptions<Params, Result extends object> {
  /** Name for the request context and for log entries. */
  readonly toolName: string;
  /** Business logic. Receives validated parameters, and returns a result or throws an `McpError`. */
  readonly logic: (params: Params, context: RequestContext) => MaybePromise<Result>;
  /** Logs and converts errors. @default the application's shared error handler */
  readonly errorHandler?: Pick<ErrorHandler, "handleError">;
  /** Creates the child contexts. @default the application's shared service */
  readonly contextService?: RequestContextService;
}

/** Tool result that is compatible with the types in Tenon and in the official SDK. */
export type HandledResult<Result> = {
  content: { type: "text"; text: string }[];
  structuredContent: Result & { [key: string]: unknown };
  isError?: false;
};

/** Tool result for an error that the logic threw. */
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

/** Handler for Tenon's `.tool()` and the official SDK's `registerTool`. */
export type StandardToolHandler<Params, Result> = (
  params: Params,
  callContext?: unknown,
) => MaybePromise<HandledResult<Result> | HandledFailure>;

/**
 * Creates a tool handler from a tool's logic. Every call gets a child context. Results are returned as structured
 * content and as text. Errors are logged once and returned as error results. Synchronous logic stays synchronous.
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
      // The call is waiting for the user's answer, so this is not a failure.
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
    // Safe: any object is valid structured content.
    structuredContent: result as Result & { [key: string]: unknown },
  };
}
