/**
 * @fileoverview The two errors that the agent's users meet: a definition that cannot be registered, and values that do
 * not fit one that was.
 * @module agent/errors
 */
import { z } from "zod";
import { describeIssues } from "tenon/host";

/** A definition that is incomplete, contradicts itself, or has a name that is taken. */
export class RegistrationError extends Error {
  override readonly name = "RegistrationError";
}

/** Values that do not fit a definition. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";

  constructor(
    message: string,
    /** Every single thing that is wrong, with its path. */
    readonly details: z.ZodError,
  ) {
    super(message);
  }
}

/** One thing that is wrong, and where. */
export interface ParamIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The error for parameters of a tool. */
export function toolParamsError(name: string, issues: z.ZodError["issues"]): ValidationError {
  const text = describeIssues(issues);
  return new ValidationError(
    `Tool '${name}' parameter validation failed: ${text}`,
    new z.ZodRealError([...issues]),
  );
}

/** The error for the data of a message. */
export function messageDataError(type: string, issues: z.ZodError["issues"]): ValidationError {
  const text = describeIssues(issues);
  return new ValidationError(
    `Message '${type}' data validation failed: ${text}`,
    new z.ZodRealError([...issues]),
  );
}

/** An issue of our own, as Zod writes them. */
export function toZodIssue({ path, message }: ParamIssue): z.ZodError["issues"][number] {
  return { code: "custom", path: [...path], message, input: undefined };
}
