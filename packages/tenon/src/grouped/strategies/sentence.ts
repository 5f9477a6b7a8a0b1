/**
 * @fileoverview Joins texts of users with texts of ours.
 * @module grouped/strategies/sentence
 */

/** `first. second`, without a second full stop where `first` has its own, and without a stop where it is empty. */
export function joinSentences(first: string | undefined, second: string): string {
  const text = first?.trimEnd() ?? "";
  if (text === "") return second;
  return /[.!?]$/.test(text) ? `${text} ${second}` : `${text}. ${second}`;
}
