/**
 * @fileoverview Errors thrown while a tool runs. Each one is converted before it is sent to a client.
 * @module tenon/core/definitions/tool-errors
 */

/** Thrown when arguments do not match the tool's schema. */
export class ArgumentsError extends Error {
  override readonly name = "ArgumentsError";

  /** @param text text of the error result, for tools that report invalid arguments as a result */
  constructor(
    message: string,
    readonly text: string = `Validation failed: ${message}`,
  ) {
    super(message);
  }
}

/** Thrown when one part of a tool fails. The client sees the part's name. The cause is handled like any other error. */
export class PartError extends Error {
  override readonly name = "PartError";

  constructor(
    readonly part: string,
    cause: unknown,
  ) {
    super(`${part} failed`, { cause });
  }
}

/** Thrown when a handler's output does not match the tool's output schema. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}
