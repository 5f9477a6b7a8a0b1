/**
 * @fileoverview Errors by HTTP status, with the six names that every server uses for them.
 * @module kit/http-error
 */
import { STATUS_CODES } from "node:http";
import { type ErrorName, ERRORS, errorRow, type HttpErrorLabel, isErrorName, McpError } from "tenon/protocol";

/** An error with an HTTP status. It may be thrown by a tool, and sent by a plain HTTP route. */
export type HttpError = McpError & {
  readonly status: number;
  /** The name of the status, the same on all servers. */
  readonly label: HttpErrorLabel;
  /** What to do about it. */
  readonly help?: string;
};

/** More on an HTTP error. */
export interface HttpErrorOptions {
  /** What the caller can do about it. */
  readonly help?: string;
  /** More for the client, as JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** For the log: it is never sent. */
  readonly cause?: unknown;
}

/**
 * An error for an HTTP status. Its `details` tell clients the status and its name.
 *
 * @param message meant to be seen. @default the status's phrase, such as `Not Found`
 * @throws where the status is none of an error
 * @example throw createHttpError(404, "There is no invoice 42");
 */
export function createHttpError(status: number, message?: string, options: HttpErrorOptions = {}): HttpError {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new RangeError(`An HTTP error has a status from 400 to 599, not ${String(status)}`);
  }
  const { help, details, cause } = options;
  const label = labelOf(status);
  const error = new McpError(
    nameOf(status, label),
    message ?? STATUS_CODES[status] ?? `HTTP status ${status}`,
    { ...details, status, code: label },
    { cause },
  );
  return Object.assign(error, { status, label, ...(help === undefined ? {} : { help }) });
}

const NAMES = Object.keys(ERRORS) as readonly ErrorName[];

/** The table's own label; a status that it does not have goes by its class. */
function labelOf(status: number): HttpErrorLabel {
  const name = NAMES.find((one) => errorRow(one).http === status);
  if (name !== undefined) return errorRow(name).label;
  return status >= 500 ? "SERVICE_ERROR" : "INVALID_REQUEST";
}

function nameOf(status: number, label: HttpErrorLabel): ErrorName {
  if (isErrorName(label)) return label;
  const isOf = (name: ErrorName, http: number) =>
    errorRow(name).label === label && errorRow(name).http === http;
  return (
    NAMES.find((name) => isOf(name, status)) ?? NAMES.find((name) => isOf(name, 500)) ?? "INTERNAL_ERROR"
  );
}
