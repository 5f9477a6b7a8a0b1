/**
 * @fileoverview Texts of models, tools, and users. They can contain anything, so they are made safe for one line.
 * @module agent/page-app/state/text
 */
import { oneLine } from "@tenon/internal/text";

const MAX_LABEL = 200;

/** Returns an untrusted text for a label: one line without control characters, and never empty. */
export function toLabel(text: string, limit = MAX_LABEL): string {
  const label = oneLine(text.slice(0, 4 * limit), limit);
  return label === "" ? "(no text)" : label;
}

/** Returns a text for people about an error that a request was rejected with. */
export function describeFailure(error: unknown): string {
  const text = error instanceof Error ? oneLine(error.message, MAX_FAILURE) : "";
  return text === "" ? "The request failed." : text;
}

const MAX_FAILURE = 500;
