/**
 * @fileoverview What an error from anywhere says of itself, read against the one table of errors.
 * @module kit/error-facts
 */
import { type ErrorName, ERRORS, errorRow, isErrorName, McpError } from "./index.js";
import { isInstance } from "@tenon/internal/thrown";
import { clean, read, safeMessage } from "@tenon/internal/security/safe-text";

/** An error as it may be told. */
export interface ErrorFacts {
  readonly message: string;
  /** The error's own name for itself, where it has one: a name of the table, a label of plain HTTP, or a foreign one. */
  readonly code?: string;
  /** The JSON-RPC number that goes with the code. */
  readonly rpc?: number;
  /** What to do about it. */
  readonly help?: string;
}

/** Reads an error. It never throws, whatever it is given. */
export function readError(error: unknown): ErrorFacts {
  const help = read(error, "help");
  return {
    message: safeMessage(error),
    ...codeOf(error),
    ...(typeof help === "string" && help !== "" ? { help: clean(help) } : {}),
  };
}

/** Whether an error is the official SDK's own: `McpError` of its first generation, `ProtocolError` of its second. */
export function isSdkError(error: unknown): error is Error & { readonly code: number } {
  if (!isInstance(error, Error) || isInstance(error, McpError)) return false;
  const isNamed = SDK_NAMES.some((name) => isNamedIn(error, name));
  return isNamed && Number.isInteger(read(error, "code"));
}

/** Our own error for one of the official SDK's: they mean to be sent. */
export function fromSdkError(error: Error & { readonly code: number }): McpError {
  // Its first generation writes the number into the message.
  const message = safeMessage(error).replace(/^MCP error -?\d+: /, "");
  return new McpError(nameOfNumber(error.code) ?? "INTERNAL_ERROR", message, undefined, { cause: error });
}

const SDK_NAMES: readonly string[] = ["McpError", "ProtocolError"];
const NAMES = Object.keys(ERRORS) as readonly ErrorName[];

/** Subclasses of the SDK's errors have names of their own. */
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
  // What a plain HTTP route would call it comes first: it is the name that clients of all servers know.
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

/** Short and of one word: a code is a name, not a text. */
const CODE = /^[A-Za-z][\w.-]{0,63}$/;

function nameOfNumber(rpc: number): ErrorName | undefined {
  return PROTOCOL_OWN.find((name) => errorRow(name).rpc === rpc);
}

/** What the official SDK's numbers mean, each under its plainest name. */
const PROTOCOL_OWN: readonly ErrorName[] = [
  "PARSE_ERROR",
  "INVALID_REQUEST",
  "METHOD_NOT_FOUND",
  "INVALID_PARAMS",
  "INTERNAL_ERROR",
  "RESOURCE_NOT_FOUND",
];
