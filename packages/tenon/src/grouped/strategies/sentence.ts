/**
 * @fileoverview Joins a developer's text with generated text.
 * @module grouped/strategies/sentence
 */

/** Joins two texts as `first. second`. Adds no period if `first` ends with one or is empty. */
export function joinSentences(first: string | undefined, second: string): string {
  const text = first?.trimEnd() ?? "";
  if (text === "") return second;
  return /[.!?]$/.test(text) ? `${text} ${second}` : `${text}. ${second}`;
}
