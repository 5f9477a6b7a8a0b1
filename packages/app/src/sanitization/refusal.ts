/**
 * @fileoverview How a sanitizer says no: one error, one clear sentence, and of the input no more than a short excerpt.
 * @module app/sanitization/refusal
 */
import { McpError } from "tenon/protocol";

/** Refuses input. The excerpt is short, printable ASCII: what a stranger wrote may not act where it is shown. */
export function refuseInput(what: string, problem: string, input?: string): never {
  const shown = input === undefined ? "" : `: "${excerpt(input)}"`;
  throw new McpError("VALIDATION_ERROR", `Invalid ${what}: ${problem}${shown}`);
}

/** Returns the input if it is text within `maxLength`. @throws `VALIDATION_ERROR` otherwise */
export function parseText(what: string, input: unknown, maxLength: number): string {
  if (typeof input !== "string") return refuseInput(what, "it must be text");
  if (input.length > maxLength) return refuseInput(what, `it has more than ${maxLength} characters`);
  return input;
}

const MAX_EXCERPT = 40;

function excerpt(text: string): string {
  const plain = text.slice(0, MAX_EXCERPT).replace(/[^\x20-\x7e]|["'<>&`\\]/g, "?");
  return text.length > MAX_EXCERPT ? `${plain}...` : plain;
}
