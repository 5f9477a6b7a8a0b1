/**
 * @fileoverview Quotes texts for the scripts of each shell. A quoted text never runs commands or expands variables.
 * @module cli/completions/quote
 */
import { oneLine } from "@tenon/internal/text";

/** Quotes a text for bash and zsh. */
export function quotePosix(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Quotes a text for fish, where a backslash also has a meaning inside single quotes. */
export function quoteFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}

/** Escapes a text for a specification of zsh's `_arguments`, in which colons and brackets have a meaning. */
export function escapeZshSpec(text: string): string {
  return text.replaceAll(/[\\:[\]]/g, String.raw`\$&`);
}

/** Shortens a description to one line that fits next to a suggestion. */
export function toSummary(description: string): string {
  return oneLine(description, MAX_SUMMARY);
}

const MAX_SUMMARY = 100;
