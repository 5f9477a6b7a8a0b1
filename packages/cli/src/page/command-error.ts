/**
 * @fileoverview Error of a command of the page, with the HTTP status of its response.
 * @module cli/page/command-error
 */

/** HTTP status of a failed command. */
export type FailureStatus = 400 | 404 | 409 | 413 | 415 | 429 | 502;

/** Failure that the page shows to the user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly status: FailureStatus;

  constructor(status: FailureStatus, message: string) {
    super(message);
    this.status = status;
  }
}
