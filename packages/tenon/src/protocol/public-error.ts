/**
 * @fileoverview Reads the parts of a thrown `McpError`, Tenon's or the official SDK's, that are sent to the client. Never
 * throws, even for values whose getters throw.
 * @module tenon/protocol/public-error
 */
import { read } from "@tenon/internal/security/safe-text";
import { fromSdkError, isSdkError } from "./error-facts.js";
import { type ErrorName, isErrorName, McpError } from "./errors.js";

/** Parts of an `McpError` that are sent to the client. */
export interface PublicError {
  readonly code: ErrorName;
  /** Message for a JSON-RPC error. */
  readonly message: string;
  /** Message for a tool result. For an official SDK error, it contains the code, as in the SDK's own results. */
  readonly text: string;
  readonly details: unknown;
  /** JSON-RPC code of an official SDK error. It replaces the code from the error table. */
  readonly rpc?: number;
}

/**
 * Reads a thrown `McpError`, including one from the official SDK, which is recognized by its shape. Its details are
 * copied as plain data, or omitted if they cannot be serialized. Returns `undefined` for other values and for an error
 * with an invalid code or message.
 */
export function toPublicError(thrown: unknown): PublicError | undefined {
  try {
    const error = isSdkError(thrown) ? fromSdkError(thrown) : thrown;
    if (!(error instanceof McpError)) return undefined;
    const { code, message }: { readonly code: unknown; readonly message: unknown } = error;
    if (!isErrorName(code) || typeof message !== "string") return undefined;
    const told = { code, message, text: message, details: readDetails(error) };
    const rpc = read(error, "rpc");
    return typeof rpc === "number" && Number.isSafeInteger(rpc)
      ? { ...told, text: `MCP error ${rpc}: ${message}`, rpc }
      : told;
  } catch {
    return undefined;
  }
}

function readDetails(error: McpError): unknown {
  try {
    const { details } = error;
    return details === undefined ? undefined : (JSON.parse(JSON.stringify(details)) as unknown);
  } catch {
    return undefined;
  }
}
