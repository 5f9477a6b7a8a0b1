/**
 * @fileoverview Converts tool errors to an error result, an error branch, or an `McpError`.
 * @module kit/errors/tool-error
 */
import { McpError } from "tenon/protocol";
import { isSdkError, readError } from "tenon/host";
import type { Logger } from "tenon";
import type { ErrorResult } from "../output/responses.js";
import { clean, safeMessage, safeReport } from "@tenon/internal/security/safe-text";

/** Error branch in a structured result. */
export type ErrorBranch = {
  readonly type: "error";
  readonly error: string;
  readonly code?: string;
  readonly help?: string;
};

/** Error code in a result's `_meta`. Structured content cannot hold it, because it must match the output schema. */
export type ToolErrorMeta = { readonly code: string; readonly rpc: number };

/**
 * Converts an error to a tool result. The model sees the message. The stack and causes are only logged.
 *
 * @example catch (error) { return handleToolError(error, logger); }
 */
export function handleToolError(error: unknown, logger?: Logger): ErrorResult {
  const { message, code, rpc, help } = readError(error);
  quietly(() => logger?.error(`Tool failed${code === undefined ? "" : ` (${code})`}: ${safeReport(error)}`));
  const text = help === undefined ? message : `${message}\n${help}`;
  return {
    content: [{ type: "text", text }],
    isError: true,
    ...(code === undefined || rpc === undefined
      ? {}
      : { _meta: { "tenon/error": { code, rpc } satisfies ToolErrorMeta } }),
  };
}

/**
 * Converts an error to an error branch for a structured result.
 *
 * @param customHandler builds the branch, which may have more members; if it throws or returns something else, the
 * default branch is returned instead
 * @example toErrorBranch(error, ({ message }) => ({ type: "error", error: message, retryAfter: 30 }))
 */
export function toErrorBranch<Branch extends ErrorBranch = ErrorBranch>(
  error: unknown,
  customHandler?: (error: Error) => Branch,
): Branch | ErrorBranch {
  const custom = customHandler === undefined ? undefined : runHandler(customHandler, toError(error));
  if (custom !== undefined) return custom;
  const { message, code, help } = readError(error);
  return {
    type: "error",
    error: message,
    ...(code === undefined ? {} : { code }),
    ...(help === undefined ? {} : { help: clean(help) }),
  };
}

/** Returns the handler's branch with safe texts, or `undefined` if it throws or does not return an error branch. */
function runHandler<Branch extends ErrorBranch>(
  handler: (error: Error) => Branch,
  error: Error,
): Branch | undefined {
  try {
    const branch = { ...handler(error) };
    if ((branch.type as unknown) !== "error") return undefined;
    const texts = {
      error: clean(branch.error),
      ...(branch.help === undefined ? {} : { help: clean(branch.help) }),
    };
    const set = Object.entries({ ...branch, ...texts }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(set) as unknown as Branch; // Safe: only undefined members are removed
  } catch {
    // Ignore errors in the custom handler: they must not hide the original error.
    return undefined;
  }
}

/**
 * Converts an error for rethrowing. A Tenon or official SDK `McpError` is returned unchanged. Any other error becomes
 * an internal error with the message `Error: …` and the original as its `cause`, which is never sent.
 *
 * @example catch (error) { throw toMcpError(error); }
 */
export function toMcpError(error: unknown): Error {
  if (error instanceof McpError || isSdkError(error)) return error;
  return new McpError("INTERNAL_ERROR", `Error: ${safeMessage(error)}`, undefined, { cause: error });
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(safeMessage(error), { cause: error });
}

/** Runs a logging call and ignores its errors, so that a failing logger cannot prevent the response. */
function quietly(task: () => void): void {
  try {
    task();
  } catch {
    // Ignore errors in the logger: they cannot be reported.
  }
}
