/**
 * @fileoverview Errors that the core throws while a tool runs. They are never sent to a client unchanged.
 * @module core/definitions/tool-errors
 */

/** Arguments that do not match the tool's schema. */
export class ArgumentsError extends Error {
  override readonly name = "ArgumentsError";

  /** @param text shown to the model if invalid arguments are reported as a result */
  constructor(
    message: string,
    readonly text: string = `Validation failed: ${message}`,
  ) {
    super(message);
  }
}

/** Failure in one part of a tool. The client sees the name of the part; the cause is handled like any other error. */
export class PartError extends Error {
  override readonly name = "PartError";

  constructor(
    readonly part: string,
    cause: unknown,
  ) {
    super(`${part} failed`, { cause });
  }
}

/** Output of a handler that does not match the tool's output schema. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}
