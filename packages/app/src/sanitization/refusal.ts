/**
 * @fileoverview Validation errors of the sanitizers, with a short excerpt of the input.
 * @module app/sanitization/refusal
 */
import { McpError } from "tenon/protocol";

/**
 * Throws a validation error. The excerpt is short and printable ASCII, because untrusted text may attack its viewer.
 */
export function refuseInput(what: string, problem: string, input?: string): never {
  const shown = input === undefined ? "" : `; got "${excerpt(input)}"`;
  throw new McpError("VALIDATION_ERROR", `Invalid ${what}: ${problem}${shown}.`);
}

/** Returns the input if it is a string within `maxLength`. @throws `VALIDATION_ERROR` otherwise */
export function parseText(what: string, input: unknown, maxLength: number): string {
  if (typeof input !== "string") return refuseInput(what, "it must be a string");
  if (input.length > maxLength) return refuseInput(what, `it must not exceed ${maxLength} characters`);
  return input;
}

const MAX_EXCERPT = 40;

function excerpt(text: string): string {
  const plain = text.slice(0, MAX_EXCERPT).replace(/[^\x20-\x7e]|["'<>&`\\]/g, "?");
  return text.length > MAX_EXCERPT ? `${plain}...` : plain;
}
