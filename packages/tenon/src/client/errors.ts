/**
 * @fileoverview Errors that the client throws.
 * @module tenon/client/errors
 */
import type { JsonObject } from "@tenon/internal/json";
import type { RpcError } from "../protocol/index.js";

/** Error thrown for an error response and for a task that failed. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: number;
  readonly data: unknown;

  constructor(error: RpcError) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

/** Creates the error for an error object of a server. */
export function toClientError({ code, message, data }: JsonObject): ClientError {
  return new ClientError({
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : "no message",
    data,
  });
}

/**
 * Reason for a `ConnectionError`:
 *
 * - `timeout`: the server did not respond in time
 * - `unreachable`: no connection to the server, or the connection was lost
 * - `closed`: the client was closed, or the server's program exited
 * - `session-expired`: the server no longer knows the session
 * - `unauthorized` and `forbidden`: the server rejected the credentials (HTTP 401 and 403)
 * - `redirect` and `http`: any other HTTP status that is not a success
 * - `protocol`: the response is not valid, or exceeds a limit
 * - `program`: the server's program could not be started
 */
export type ConnectionErrorCode =
  | "timeout"
  | "unreachable"
  | "closed"
  | "session-expired"
  | "unauthorized"
  | "forbidden"
  | "redirect"
  | "http"
  | "protocol"
  | "program";

/** Details of a `ConnectionError`. */
export interface ConnectionErrorDetails {
  readonly code: ConnectionErrorCode;
  /** HTTP status of the response, if the server sent one. */
  readonly status?: number;
  /** Text of the server, with control characters and the request's secrets removed. */
  readonly reason?: string;
  /** Scopes that the server requires. */
  readonly requiredScopes?: readonly string[];
  readonly cause?: unknown;
}

/** Error thrown if the server cannot be reached or its response is not valid. The message never contains sent data. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code: ConnectionErrorCode;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly requiredScopes: readonly string[];

  /** @param given reason, or all details */
  constructor(message: string, given: ConnectionErrorCode | ConnectionErrorDetails) {
    const details: ConnectionErrorDetails = typeof given === "string" ? { code: given } : given;
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.reason = details.reason;
    this.requiredScopes = details.requiredScopes ?? [];
  }
}
