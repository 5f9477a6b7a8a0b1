/**
 * @fileoverview What becomes of an error in a tool: a result, a branch of a result, or an error to throw on.
 * @module kit/tool-error
 */
import { McpError } from "tenon/protocol";
import { isSdkError, readError } from "tenon/host";
import type { Logger } from "tenon";
import type { ErrorResult } from "../output/responses.js";
import { clean, safeMessage, safeReport } from "@tenon/internal/security/safe-text";

/** A failure as one branch of a structured result. */
export type ErrorBranch = {
  readonly type: "error";
  readonly error: string;
  readonly code?: string;
  readonly help?: string;
};

/** Code of an error in the `_meta` of a result, because clients check structured content against the output schema. */
export type ToolErrorMeta = { readonly code: string; readonly rpc: number };

/**
 * The result of a tool that failed. The error's message is for the model: its stack and causes go to the log only.
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
 * The error branch of a structured result.
 *
 * @param customHandler says it its own way; where it fails, the error is told as if there were none
 */
export function toErrorBranch(error: unknown, customHandler?: (error: Error) => ErrorBranch): ErrorBranch {
  if (customHandler !== undefined) {
    try {
      const { error: said, code, help } = customHandler(toError(error));
      return branch(clean(said), code, help);
    } catch {
      // What went wrong first is what matters.
    }
  }
  const { message, code, help } = readError(error);
  return branch(message, code, help);
}

/**
 * The error to throw on: an `McpError` of ours or of the official SDK as it is, any other as an internal error that
 * says `Error: …`. The original is its `cause`, which is never sent.
 *
 * @example catch (error) { throw toMcpError(error); }
 */
export function toMcpError(error: unknown): Error {
  if (error instanceof McpError || isSdkError(error)) return error;
  return new McpError("INTERNAL_ERROR", `Error: ${safeMessage(error)}`, undefined, { cause: error });
}

function branch(error: string, code: string | undefined, help: string | undefined): ErrorBranch {
  return {
    type: "error",
    error,
    ...(code === undefined ? {} : { code }),
    ...(help === undefined ? {} : { help: clean(help) }),
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(safeMessage(error), { cause: error });
}

/** A logger that throws must not cost the reply. */
function quietly(task: () => void): void {
  try {
    task();
  } catch {
    // There is nobody left to tell.
  }
}
