/**
 * @fileoverview The handler half of a tool, made once: the logic throws, this catches.
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
  /** The business logic: validated parameters in, a result out, an `McpError` thrown where it cannot. */
  readonly logic: (params: Params, context: RequestContext) => MaybePromise<Result>;
  /** @default the application's own */
  readonly errorHandler?: Pick<ErrorHandler, "handleError">;
  /** @default the application's own */
  readonly contextService?: RequestContextService;
}

/** Result of a tool, in a form that Tenon's types and those of the official SDK accept. */
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

/** A handler for `.tool()` and for `registerTool` of the official SDK alike. */
export type StandardToolHandler<Params, Result> = (
  params: Params,
  callContext?: unknown,
) => MaybePromise<HandledResult<Result> | HandledFailure>;

/**
 * Makes the handler of a tool from its logic: a child context for every call, the result as data and as text, every
 * error logged once and told as the standard says. Logic that answers at once is answered at once.
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
      // A question to the user is on its way: the call is not over, and nothing failed.
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
    // An object, which is all that structured content must be.
    structuredContent: result as Result & { [key: string]: unknown },
  };
}
