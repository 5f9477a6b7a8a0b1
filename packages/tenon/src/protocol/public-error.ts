/**
 * @fileoverview Reads the parts of a thrown `McpError` that are sent to the client. Never throws, even for values whose
 * getters throw.
 * @module protocol/public-error
 */
import { type ErrorName, isErrorName, McpError } from "./errors.js";
import type { JsonObject } from "@tenon/internal/json";

/** Parts of an `McpError` that are sent to the client. */
export interface PublicError {
  readonly code: ErrorName;
  readonly message: string;
  readonly details: JsonObject | undefined;
}

/**
 * Reads a thrown `McpError`. Its details are copied as plain data, or omitted if they cannot be serialized. Returns
 * `undefined` for other values and for an error with an invalid code or message.
 */
export function toPublicError(thrown: unknown): PublicError | undefined {
  try {
    if (!(thrown instanceof McpError)) return undefined;
    const { code, message }: { readonly code: unknown; readonly message: unknown } = thrown;
    if (!isErrorName(code) || typeof message !== "string") return undefined;
    return { code, message, details: readDetails(thrown) };
  } catch {
    return undefined;
  }
}

function readDetails(error: McpError): JsonObject | undefined {
  try {
    const { details } = error;
    return details === undefined ? undefined : (JSON.parse(JSON.stringify(details)) as JsonObject);
  } catch {
    return undefined;
  }
}
