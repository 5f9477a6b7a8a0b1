/**
 * @fileoverview Public errors of the agent package: `RegistrationError` for invalid definitions, and `ValidationError`
 * for values that do not match a definition.
 * @module agent/shared/errors
 */
import { z } from "zod";
import { showValue } from "@tenon/internal/kind-of";
import { describeIssues } from "tenon/host";

/** Thrown if a definition is invalid or its name is already registered. */
export class RegistrationError extends Error {
  override readonly name = "RegistrationError";
}

/** Thrown if tool parameters or message data do not match their definition. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";

  constructor(
    message: string,
    /** Validation issues, each with the path of the invalid value. */
    readonly details: z.ZodError,
  ) {
    super(message);
  }
}

/** Validation issue and the path of the invalid value. */
export interface ParamIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Creates the error for invalid tool parameters. */
export function toolParamsError(name: string, issues: z.ZodError["issues"]): ValidationError {
  return toValidationError(`Tool '${name}' parameter`, issues);
}

/** Creates the error for invalid message data. */
export function messageDataError(type: string, issues: z.ZodError["issues"]): ValidationError {
  return toValidationError(`Message '${type}' data`, issues);
}

function toValidationError(what: string, issues: z.ZodError["issues"]): ValidationError {
  const text = `${what} validation failed: ${describeIssues(issues)}`;
  return new ValidationError(text, new z.ZodRealError([...issues]));
}

/** Converts an issue to Zod's format, with the code `custom`. */
export function toZodIssue({ path, message }: ParamIssue): z.ZodError["issues"][number] {
  return { code: "custom", path: [...path], message, input: undefined };
}

/** Describes a missing or invalid field of a definition, as a sentence without a period. */
export function describeField(field: string, expected: string, value: unknown): string {
  if (value === undefined) return `\`${field}\` is missing`;
  return `\`${field}\` must be ${expected}; got ${showSchema(value)}`;
}

/** Describes a value. Zod schemas are shown as code, such as `z.string()`. */
export function showSchema(value: unknown): string {
  return value instanceof z.ZodType ? `z.${value.def.type}()` : showValue(value);
}
