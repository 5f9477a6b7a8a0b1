/**
 * @fileoverview Reads message, code and help of any error, using the error table.
 * @module kit/error-facts
 */
import { type ErrorName, ERRORS, errorRow, isErrorName, McpError } from "./index.js";
import { isInstance } from "@tenon/internal/thrown";
import { clean, read, safeMessage } from "@tenon/internal/security/safe-text";

/** Readable parts of an error. */
export interface ErrorFacts {
  readonly message: string;
  /** Code of the error, if it has one: a name of the table, an HTTP label, or a foreign code. */
  readonly code?: string;
  /** JSON-RPC code of the error. */
  readonly rpc?: number;
  /** Instructions for fixing the error. */
  readonly help?: string;
}

/** Reads an error. Never throws, whatever the value. */
export function readError(error: unknown): ErrorFacts {
  const help = read(error, "help");
  return {
    message: safeMessage(error),
    ...codeOf(error),
    ...(typeof help === "string" && help !== "" ? { help: clean(help) } : {}),
  };
}

/** Narrows an error to one of the official SDK: `McpError` of version 1 or `ProtocolError` of version 2. */
export function isSdkError(error: unknown): error is Error & { readonly code: number } {
  if (!isInstance(error, Error) || isInstance(error, McpError)) return false;
  const isNamed = SDK_NAMES.some((name) => isNamedIn(error, name));
  return isNamed && Number.isInteger(read(error, "code"));
}

/** Converts an error of the official SDK to an `McpError`. Its message is meant for the client. */
export function fromSdkError(error: Error & { readonly code: number }): McpError {
  // Version 1 of the SDK adds the code to the message.
  const message = safeMessage(error).replace(/^MCP error -?\d+: /, "");
  return new McpError(nameOfNumber(error.code) ?? "INTERNAL_ERROR", message, undefined, { cause: error });
}

const SDK_NAMES: readonly string[] = ["McpError", "ProtocolError"];
const NAMES = Object.keys(ERRORS) as readonly ErrorName[];

/** Checks the prototype chain, because subclasses of the SDK's errors have other names. */
function isNamedIn(error: Error, name: string): boolean {
  for (let type: unknown = Object.getPrototypeOf(error), depth = 0; depth < 5; depth++) {
    const constructor = read(type, "constructor");
    if (typeof constructor === "function" && constructor.name === name) return true;
    if (typeof type !== "object" || type === null) return false;
    type = Object.getPrototypeOf(type);
  }
  return error.name === name;
}

function codeOf(error: unknown): Pick<ErrorFacts, "code" | "rpc"> {
  // The HTTP label takes precedence, because clients of all servers know it.
  const label = read(error, "label");
  const code = read(error, "code");
  if (typeof code === "string" && CODE.test(code)) {
    const name = isErrorName(code) ? code : NAMES.find((one) => errorRow(one).label === code);
    const shown = isInstance(error, McpError) && typeof label === "string" ? label : code;
    return { code: shown, rpc: errorRow(name ?? "INTERNAL_ERROR").rpc };
  }
  const name = typeof code === "number" ? nameOfNumber(code) : undefined;
  return name === undefined ? {} : { code: name, rpc: errorRow(name).rpc };
}

/** Matches short codes of one word. */
const CODE = /^[A-Za-z][\w.-]{0,63}$/;

function nameOfNumber(rpc: number): ErrorName | undefined {
  return PROTOCOL_OWN.find((name) => errorRow(name).rpc === rpc);
}

/** Error names for the JSON-RPC codes of the official SDK. */
const PROTOCOL_OWN: readonly ErrorName[] = [
  "PARSE_ERROR",
  "INVALID_REQUEST",
  "METHOD_NOT_FOUND",
  "INVALID_PARAMS",
  "INTERNAL_ERROR",
  "RESOURCE_NOT_FOUND",
];
