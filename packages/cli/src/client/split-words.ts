/**
 * @fileoverview Splits a command line into words.
 * @module cli/client/split-words
 */

/** Splits text at spaces like a shell, respecting quotes, without expansion. Returns `undefined` for an unclosed quote. */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of text) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}
