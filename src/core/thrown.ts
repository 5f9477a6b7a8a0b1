/**
 * @fileoverview Reads values that handlers threw. Anything can be thrown, including a value that throws when it is read.
 * The functions in this file never throw.
 * @module core/thrown
 */
import { type ErrorName, isErrorName, type JsonObject, McpError } from "../protocol/index.js";

/** An `McpError` as it may be sent. */
export interface PublicError {
  readonly code: ErrorName;
  readonly message: string;
  readonly details: JsonObject | undefined;
}

/** Narrows a value by its class. A proxy whose `getPrototypeOf` trap throws is not an instance of any class. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** Reads the message of a thrown error. Returns `undefined` for other values and for a message that is not a string. */
export function messageOf(thrown: unknown): string | undefined {
  try {
    if (!(thrown instanceof Error)) return undefined;
    const message: unknown = thrown.message;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a thrown `McpError`. Its details are copied as plain data, or omitted if they cannot be JSON. Returns `undefined`
 * for other values and for an error whose code or message is unusable: both are unexpected failures.
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
