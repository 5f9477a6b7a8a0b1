/**
 * @fileoverview Errors for users of the agent package: definitions that cannot be registered, and values that do
 * not match a definition.
 * @module agent/errors
 */
import { z } from "zod";
import { describeIssues } from "tenon/host";

/** An invalid definition, or a name that is already taken. */
export class RegistrationError extends Error {
  override readonly name = "RegistrationError";
}

/** Values that do not match a definition. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";

  constructor(
    message: string,
    /** Issues with their paths. */
    readonly details: z.ZodError,
  ) {
    super(message);
  }
}

/** One issue and its path. */
export interface ParamIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Creates the error for the parameters of a tool. */
export function toolParamsError(name: string, issues: z.ZodError["issues"]): ValidationError {
  const text = describeIssues(issues);
  return new ValidationError(
    `Tool '${name}' parameter validation failed: ${text}`,
    new z.ZodRealError([...issues]),
  );
}

/** Creates the error for the data of a message. */
export function messageDataError(type: string, issues: z.ZodError["issues"]): ValidationError {
  const text = describeIssues(issues);
  return new ValidationError(
    `Message '${type}' data validation failed: ${text}`,
    new z.ZodRealError([...issues]),
  );
}

/** Creates a custom issue in Zod's format. */
export function toZodIssue({ path, message }: ParamIssue): z.ZodError["issues"][number] {
  return { code: "custom", path: [...path], message, input: undefined };
}
