/**
 * @fileoverview Reads the message, code, and help text of any error.
 * @module tenon/protocol/error-facts
 */
import { type ErrorName, ERRORS, isErrorName, McpError } from "./index.js";
import { isInstance } from "@tenon/internal/thrown";
import { toPublicData } from "@tenon/internal/security/public-data";
import { clean, read, safeMessage } from "@tenon/internal/security/safe-text";

/** Message, codes, and help text of an error. */
export interface ErrorFacts {
  readonly message: string;
  /** Error code, if any: a name from the error table, an HTTP label, or a code from a different library. */
  readonly code?: string;
  /** JSON-RPC error code. */
  readonly rpc?: number;
  /** Instructions for fixing the error. */
  readonly help?: string;
}

/** Reads any thrown value. Never throws. */
export function readError(error: unknown): ErrorFacts {
  const help = read(error, "help");
  return {
    message: safeMessage(error),
    ...codesOf(error),
    ...(typeof help === "string" && help !== "" ? { help: clean(help) } : {}),
  };
}

/** Narrows an error to an official SDK error: `McpError` from version 1 or `ProtocolError` from version 2. */
export function isSdkError(error: unknown): error is Error & { readonly code: number } {
  if (!isInstance(error, Error) || isInstance(error, McpError)) return false;
  const isNamed = SDK_NAMES.some((name) => isNamedIn(error, name));
  return isNamed && Number.isSafeInteger(read(error, "code"));
}

/** `McpError` that was converted from an official SDK error. */
export type ConvertedError = McpError & {
  /** JSON-RPC code of the original error, which the error table may not contain. */
  readonly rpc: number;
};

/**
 * Converts an official SDK error to an `McpError`. Keeps the message, the code, and the data, because they are meant for
 * clients. A stack in the data is removed.
 */
export function fromSdkError(error: Error & { readonly code: number }): ConvertedError {
  // SDK version 1 prefixes the message with the code.
  const message = safeMessage(error).replace(/^MCP error -?\d+: /, "");
  const { code: rpc } = error;
  const data = toPublicData(read(error, "data"));
  // Unlike `McpError`, SDK errors may carry any JSON value.
  const details = data as McpError["details"];
  const name = nameOfNumber(rpc) ?? "INTERNAL_ERROR";
  return Object.assign(new McpError(name, message, details, { cause: error }), { rpc });
}

const SDK_NAMES: readonly string[] = ["McpError", "ProtocolError"];
const NAMES = Object.keys(ERRORS) as readonly ErrorName[];

/** Checks the prototype chain, because subclasses of SDK errors have different names. */
function isNamedIn(error: Error, name: string): boolean {
  for (let type: unknown = Object.getPrototypeOf(error), depth = 0; depth < 5; depth++) {
    const constructor = read(type, "constructor");
    if (typeof constructor === "function" && constructor.name === name) return true;
    if (typeof type !== "object" || type === null) break;
    type = Object.getPrototypeOf(type);
  }
  // In a minified bundle, only the `name` member keeps its text.
  return read(error, "name") === name;
}

function codesOf(error: unknown): Pick<ErrorFacts, "code" | "rpc"> {
  // The HTTP label takes precedence, because it is the same on all servers.
  const label = read(error, "label");
  const code = read(error, "code");
  if (typeof code === "string" && CODE.test(code)) {
    const name = isErrorName(code) ? code : NAMES.find((one) => ERRORS[one].label === code);
    const shown = isInstance(error, McpError) && typeof label === "string" ? label : code;
    return { code: shown, rpc: ERRORS[name ?? "INTERNAL_ERROR"].rpc };
  }
  const name = typeof code === "number" ? nameOfNumber(code) : undefined;
  return name === undefined ? {} : { code: name, rpc: ERRORS[name].rpc };
}

/** Matches one-word codes of up to 64 characters. */
const CODE = /^[A-Za-z][\w.-]{0,63}$/;

function nameOfNumber(rpc: number): ErrorName | undefined {
  return PROTOCOL_OWN.find((name) => ERRORS[name].rpc === rpc);
}

/** Error names for the JSON-RPC codes that the official SDK uses. */
const PROTOCOL_OWN: readonly ErrorName[] = [
  "PARSE_ERROR",
  "INVALID_REQUEST",
  "METHOD_NOT_FOUND",
  "INVALID_PARAMS",
  "INTERNAL_ERROR",
  "RESOURCE_NOT_FOUND",
];
