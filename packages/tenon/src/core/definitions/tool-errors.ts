/**
 * @fileoverview Errors that the core throws while a tool runs. None of them is sent to a client as it is.
 * @module core/definitions/tool-errors
 */

/** Arguments that a tool's schema rejects. */
export class ArgumentsError extends Error {
  override readonly name = "ArgumentsError";

  /** @param text shown to the model where invalid arguments are answered with a result */
  constructor(
    message: string,
    readonly text: string = `Validation failed: ${message}`,
  ) {
    super(message);
  }
}

/** A failure in one part of a tool. The client is told the part; the cause is treated as any other error. */
export class PartError extends Error {
  override readonly name = "PartError";

  constructor(
    readonly part: string,
    cause: unknown,
  ) {
    super(`${part} failed`, { cause });
  }
}

/** A handler's output that the tool's output schema rejects. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}
