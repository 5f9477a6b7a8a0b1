/**
 * @fileoverview Error table, and the error class whose message is sent to clients. Errors are keyed by name, because
 * one JSON-RPC code can map to several HTTP statuses.
 * @module tenon/protocol/errors
 */

/** Error names that the application standard defines. */
export const BaseErrorCode = {
  UNAUTHORIZED: "UNAUTHORIZED",
  FORBIDDEN: "FORBIDDEN",
  NOT_FOUND: "NOT_FOUND",
  CONFLICT: "CONFLICT",
  VALIDATION_ERROR: "VALIDATION_ERROR",
  INVALID_INPUT: "INVALID_INPUT",
  PARSING_ERROR: "PARSING_ERROR",
  RATE_LIMITED: "RATE_LIMITED",
  TIMEOUT: "TIMEOUT",
  SERVICE_UNAVAILABLE: "SERVICE_UNAVAILABLE",
  INTERNAL_ERROR: "INTERNAL_ERROR",
  UNKNOWN_ERROR: "UNKNOWN_ERROR",
  CONFIGURATION_ERROR: "CONFIGURATION_ERROR",
  INITIALIZATION_FAILED: "INITIALIZATION_FAILED",
  SERVICE_NOT_INITIALIZED: "SERVICE_NOT_INITIALIZED",
  DATABASE_ERROR: "DATABASE_ERROR",
  EXTENSION_ERROR: "EXTENSION_ERROR",
  SHUTDOWN_ERROR: "SHUTDOWN_ERROR",
  AGENT_EXECUTION_ERROR: "AGENT_EXECUTION_ERROR",
} as const;

/** One of the application standard's 19 error names. */
export type BaseErrorCode = (typeof BaseErrorCode)[keyof typeof BaseErrorCode];

/** Codes and names for one error in each protocol. */
export interface ErrorRow {
  /** JSON-RPC code. */
  readonly rpc: number;
  /** JSON-RPC code in stateless revisions, if it differs. */
  readonly modernRpc?: number;
  /** HTTP status of the JSON-RPC response in stateless revisions. */
  readonly wire: number;
  /** HTTP status for the same error on a plain HTTP route. */
  readonly http: number;
  /** Name in the application standard. */
  readonly base: BaseErrorCode;
  /** Name in plain HTTP error bodies. */
  readonly label: HttpErrorLabel;
}

/** Error names in plain HTTP error bodies. */
export type HttpErrorLabel =
  | "INVALID_REQUEST"
  | "AUTHENTICATION_REQUIRED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "RATE_LIMITED"
  | "SERVICE_ERROR";

// prettier-ignore
const TABLE = {
  // Protocol errors.
  /** The message is not valid JSON or not valid UTF-8. */
  PARSE_ERROR: { rpc: -32700, wire: 400, http: 400, base: "PARSING_ERROR", label: "INVALID_REQUEST" },
  /** The message is not valid JSON-RPC, is not allowed here, is too large, or is nested too deeply. */
  INVALID_REQUEST: { rpc: -32600, wire: 400, http: 400, base: "INVALID_INPUT", label: "INVALID_REQUEST" },
  /** The method does not exist in this revision. */
  METHOD_NOT_FOUND: { rpc: -32601, wire: 404, http: 404, base: "NOT_FOUND", label: "NOT_FOUND" },
  /** The parameters are invalid for the method. */
  INVALID_PARAMS: { rpc: -32602, wire: 200, http: 400, base: "VALIDATION_ERROR", label: "INVALID_REQUEST" },
  /** The `_meta` envelope of a stateless request is missing or invalid. */
  INVALID_ENVELOPE: { rpc: -32602, wire: 400, http: 400, base: "INVALID_INPUT", label: "INVALID_REQUEST" },
  /** A request header is missing, is malformed, or does not match the body. */
  HEADER_MISMATCH: { rpc: -32020, wire: 400, http: 400, base: "INVALID_INPUT", label: "INVALID_REQUEST" },
  /** The handler requires a capability that the client did not declare. */
  MISSING_CAPABILITY: { rpc: -32600, modernRpc: -32021, wire: 400, http: 400, base: "INVALID_INPUT", label: "INVALID_REQUEST" },
  /** The server does not support the protocol revision. */
  UNSUPPORTED_VERSION: { rpc: -32602, modernRpc: -32022, wire: 400, http: 400, base: "INVALID_INPUT", label: "INVALID_REQUEST" },
  /** No tool has this name. */
  UNKNOWN_TOOL: { rpc: -32601, modernRpc: -32602, wire: 200, http: 404, base: "NOT_FOUND", label: "NOT_FOUND" },
  /** No resource has this URI or name. */
  RESOURCE_NOT_FOUND: { rpc: -32002, modernRpc: -32602, wire: 200, http: 404, base: "NOT_FOUND", label: "NOT_FOUND" },
  /** The principal lacks scopes that the tool requires. */
  INSUFFICIENT_SCOPE: { rpc: -32600, wire: 403, http: 403, base: "FORBIDDEN", label: "FORBIDDEN" },
  /** The limit for calls in flight is reached. */
  TOO_MANY_CALLS: { rpc: -32600, wire: 429, http: 429, base: "RATE_LIMITED", label: "RATE_LIMITED" },

  // Application errors, thrown by handlers. Unexpected errors become INTERNAL_ERROR.
  UNAUTHORIZED: { rpc: -32600, wire: 200, http: 401, base: "UNAUTHORIZED", label: "AUTHENTICATION_REQUIRED" },
  AUTHENTICATION_REQUIRED: { rpc: -32600, wire: 200, http: 401, base: "UNAUTHORIZED", label: "AUTHENTICATION_REQUIRED" },
  FORBIDDEN: { rpc: -32600, wire: 200, http: 403, base: "FORBIDDEN", label: "FORBIDDEN" },
  NOT_FOUND: { rpc: -32002, modernRpc: -32602, wire: 200, http: 404, base: "NOT_FOUND", label: "NOT_FOUND" },
  CONFLICT: { rpc: -32600, wire: 200, http: 409, base: "CONFLICT", label: "INVALID_REQUEST" },
  VALIDATION_ERROR: { rpc: -32602, wire: 200, http: 400, base: "VALIDATION_ERROR", label: "INVALID_REQUEST" },
  INVALID_INPUT: { rpc: -32602, wire: 200, http: 400, base: "INVALID_INPUT", label: "INVALID_REQUEST" },
  PARSING_ERROR: { rpc: -32602, wire: 200, http: 400, base: "PARSING_ERROR", label: "INVALID_REQUEST" },
  RATE_LIMITED: { rpc: -32600, wire: 200, http: 429, base: "RATE_LIMITED", label: "RATE_LIMITED" },
  TIMEOUT: { rpc: -32603, wire: 200, http: 504, base: "TIMEOUT", label: "SERVICE_ERROR" },
  SERVICE_UNAVAILABLE: { rpc: -32603, wire: 200, http: 503, base: "SERVICE_UNAVAILABLE", label: "SERVICE_ERROR" },
  INTERNAL_ERROR: { rpc: -32603, wire: 200, http: 500, base: "INTERNAL_ERROR", label: "SERVICE_ERROR" },
  SERVICE_ERROR: { rpc: -32603, wire: 200, http: 500, base: "SERVICE_UNAVAILABLE", label: "SERVICE_ERROR" },
  UNKNOWN_ERROR: { rpc: -32603, wire: 200, http: 500, base: "UNKNOWN_ERROR", label: "SERVICE_ERROR" },
  CONFIGURATION_ERROR: { rpc: -32603, wire: 200, http: 500, base: "CONFIGURATION_ERROR", label: "SERVICE_ERROR" },
  INITIALIZATION_FAILED: { rpc: -32603, wire: 200, http: 500, base: "INITIALIZATION_FAILED", label: "SERVICE_ERROR" },
  SERVICE_NOT_INITIALIZED: { rpc: -32603, wire: 200, http: 500, base: "SERVICE_NOT_INITIALIZED", label: "SERVICE_ERROR" },
  DATABASE_ERROR: { rpc: -32603, wire: 200, http: 500, base: "DATABASE_ERROR", label: "SERVICE_ERROR" },
  EXTENSION_ERROR: { rpc: -32603, wire: 200, http: 500, base: "EXTENSION_ERROR", label: "SERVICE_ERROR" },
  SHUTDOWN_ERROR: { rpc: -32603, wire: 200, http: 500, base: "SHUTDOWN_ERROR", label: "SERVICE_ERROR" },
  AGENT_EXECUTION_ERROR: { rpc: -32603, wire: 200, http: 500, base: "AGENT_EXECUTION_ERROR", label: "SERVICE_ERROR" },
} as const satisfies Record<string, ErrorRow>;

/** Error name from the table. */
export type ErrorName = keyof typeof TABLE;

/** Errors that Tenon can send. Every row also has the optional columns. */
export const ERRORS: { readonly [Name in keyof typeof TABLE]: ErrorRow & (typeof TABLE)[Name] } = TABLE;

/** Narrows a value to an error name from the table. */
export function isErrorName(value: unknown): value is ErrorName {
  return typeof value === "string" && Object.hasOwn(ERRORS, value);
}

/**
 * Error whose message and details are sent to the client unchanged. Its `cause` and stack are never sent.
 *
 * @example throw new McpError("NOT_FOUND", "No such invoice", { invoice: "42" });
 */
export class McpError extends Error {
  override readonly name = "McpError";
  /** Error name from the table, such as `NOT_FOUND`. */
  readonly code: ErrorName;
  /** Data for the client, serialized as JSON. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  // oxlint-disable-next-line max-params -- the application standard fixes this signature
  constructor(
    code: ErrorName,
    message: string,
    details?: Readonly<Record<string, unknown>>,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/**
 * Error that a tool's handler throws to fail with a JSON-RPC error. Other errors become results that the model sees. A
 * task that throws it ends as `failed` instead of `completed`.
 *
 * @example throw new RequestError("SERVICE_UNAVAILABLE", "The renderer is offline.");
 */
export class RequestError extends McpError {}
