/**
 * @fileoverview Joins a developer's text with generated text.
 * @module tenon/grouped/strategies/sentence
 */

/** Joins two texts as `first. second`. Adds the period only if `first` does not end with punctuation. */
export function joinSentences(first: string | undefined, second: string): string {
  const text = first?.trimEnd() ?? "";
  if (text === "") return second;
  return /[.!?]$/.test(text) ? `${text} ${second}` : `${text}. ${second}`;
}
