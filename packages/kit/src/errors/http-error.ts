/**
 * @fileoverview Errors with an HTTP status and one of the six shared labels.
 * @module kit/errors/http-error
 */
import { STATUS_CODES } from "node:http";
import { type ErrorName, ERRORS, type HttpErrorLabel, isErrorName, McpError } from "tenon/protocol";

/** Error with an HTTP status. Tools can throw it, and HTTP routes can send it. */
export type HttpError = McpError & {
  /** HTTP status, from 400 to 599. */
  readonly status: number;
  /** Label for the status, such as `NOT_FOUND`. */
  readonly label: HttpErrorLabel;
  /** Advice for the caller on how to fix the problem. */
  readonly help?: string;
};

/** Options for `createHttpError`. */
export interface HttpErrorOptions {
  /** Advice for the caller on how to fix the problem. */
  readonly help?: string;
  /** Additional JSON data for the client. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Original error. It is logged but never sent to the client. */
  readonly cause?: unknown;
}

/**
 * Creates an error for an HTTP status. Its `details` contain the status and the label.
 *
 * @param message shown to clients; defaults to the status text, such as `Not Found`
 * @throws if the status is not an integer from 400 to 599
 * @example throw createHttpError(404, "Invoice 42 was not found.");
 */
export function createHttpError(status: number, message?: string, options: HttpErrorOptions = {}): HttpError {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new RangeError(`\`status\` must be an integer from 400 to 599; got ${String(status)}.`);
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

/** Returns the label from the error table. Other statuses get the label of their class (4xx or 5xx). */
function labelOf(status: number): HttpErrorLabel {
  const name = NAMES.find((one) => ERRORS[one].http === status);
  if (name !== undefined) return ERRORS[name].label;
  return status >= 500 ? "SERVICE_ERROR" : "INVALID_REQUEST";
}

function nameOf(status: number, label: HttpErrorLabel): ErrorName {
  if (isErrorName(label)) return label;
  const isOf = (name: ErrorName, http: number) => ERRORS[name].label === label && ERRORS[name].http === http;
  return (
    NAMES.find((name) => isOf(name, status)) ?? NAMES.find((name) => isOf(name, 500)) ?? "INTERNAL_ERROR"
  );
}
