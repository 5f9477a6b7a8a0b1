/**
 * @fileoverview Validation errors for the sanitizers, with a short excerpt of the input.
 * @module app/sanitization/refusal
 */
import { McpError } from "tenon/protocol";

/**
 * Throws a validation error. The input is shown as a short excerpt in printable ASCII, because untrusted text may
 * contain characters that deceive a reader or control a terminal.
 */
export function refuseInput(what: string, problem: string, input?: string): never {
  const shown = input === undefined ? "" : `; got "${excerpt(input)}"`;
  throw new McpError("VALIDATION_ERROR", `Invalid ${what}: ${problem}${shown}.`);
}

/** Returns the input if it is a string within the limit. @throws {McpError} `VALIDATION_ERROR` otherwise */
export function parseText(what: string, input: unknown, maxLength: number): string {
  if (typeof input !== "string") return refuseInput(what, `it must be a string; got ${typeName(input)}`);
  if (input.length > maxLength) {
    return refuseInput(what, `it is too long (limit: ${maxLength} characters); got ${input.length}`);
  }
  return input;
}

/** Describes the type of a value that is not a string, for an error message. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const MAX_EXCERPT = 40;

function excerpt(text: string): string {
  const plain = text.slice(0, MAX_EXCERPT).replace(/[^\x20-\x7e]|["'<>&`\\]/g, "?");
  return text.length > MAX_EXCERPT ? `${plain}...` : plain;
}
