/**
 * @fileoverview Errors with the texts of the official SDK, and the handling of errors thrown by callbacks.
 * @module sdk/mcp-server/requests/errors
 */
import type { Issue } from "tenon/host";
import { McpError } from "tenon/protocol";
import { read } from "@tenon/internal/security/safe-text";
import { isInstance, messageOf } from "@tenon/internal/thrown";
import type { Failure, RequestScope } from "./request-scope.js";

/** JSON-RPC code for invalid parameters. */
export const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const URL_ELICITATION_REQUIRED = -32042;

/** Error of a request to the client: the client's error or a timeout. */
export class RequestError extends Error {
  override readonly name = "McpError";

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(numbered(code, message));
  }
}

/** Prefixes a message with its code, as the official SDK does. */
export function numbered(code: number, message: string): string {
  return `MCP error ${code}: ${message}`;
}

/** Describes the issues of a value, one per line. */
export function describeFor(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path = [], message }) => {
    const where = path.map((one) => (typeof one === "object" ? one.key : one));
    return where.length === 0 ? message : `${message} at ${dotted(where)}`;
  });
  if (issues.length > MAX_ISSUES) lines.push(`and ${issues.length - MAX_ISSUES} more`);
  return lines.join("\n");
}

/** Maximum number of issues in a reply. Limits the reply to a list of a million invalid items. */
const MAX_ISSUES = 50;

function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      index === 0 ? String(part) : typeof part === "number" ? `[${part}]` : `.${String(part)}`,
    )
    .join("");
}

/**
 * Records the failure of a callback for the reply, and rethrows. The core itself reports questions that wait for the
 * client, and invalid answers.
 *
 * @param exposeErrors true if the message of an unexpected error may be sent
 */
export function failRequest(scope: RequestScope, error: unknown, exposeErrors: boolean): never {
  const questions = scope.call?.questions;
  if (questions?.open === true || questions?.isFault(error) === true || isInstance(error, McpError))
    throw error;
  const code = codeOf(error);
  if (code === undefined && !exposeErrors) throw error;
  scope.failure = toFailure(error, code);
  throw error;
}

/**
 * Records the failure of a tool, and rethrows. Failures of tools are results, except that the client must open a URL
 * first.
 */
export function failTool(scope: RequestScope, error: unknown): never {
  const code = codeOf(error);
  if (code === URL_ELICITATION_REQUIRED) scope.failure = toFailure(error, code);
  throw isInstance(error, Error) ? error : new Error(toText(error));
}

/** Converts a thrown value that is not an error to the text that the official SDK sends. */
function toText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "Unknown error";
  }
}

/** Converts an error of a callback to the error that is sent. Never throws. */
export function toFailure(error: unknown, code = codeOf(error)): Failure {
  const data = isInstance(error, Error) ? read(error, "data") : undefined;
  return {
    code: code ?? INTERNAL_ERROR,
    message: messageOf(error) ?? "Internal error",
    ...(data === undefined ? {} : { data }),
  };
}

/** Reads the JSON-RPC code of an error that is meant for clients. Never throws. */
export function codeOf(error: unknown): number | undefined {
  const code = isInstance(error, Error) ? read(error, "code") : undefined;
  return typeof code === "number" && Number.isSafeInteger(code) ? code : undefined;
}
