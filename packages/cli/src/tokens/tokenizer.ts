/**
 * @fileoverview Counts tokens with the o200k_base encoding. Its vocabulary is a large file, which is loaded on demand.
 * @module cli/tokens/tokenizer
 */

/** Counts the tokens of texts. */
export interface Tokenizer {
  /** Name of the encoding, as OpenAI publishes it. */
  readonly encoding: string;
  readonly count: (text: string) => number;
}

/** Loads the tokenizer. Counts are cached by text, because the views of a server share most definitions. */
export async function loadTokenizer(): Promise<Tokenizer> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const known = new Map<string, number>();
  return {
    encoding: "o200k_base",
    count(text) {
      const before = known.get(text);
      if (before !== undefined) return before;
      const tokens = splitLongRuns(text).reduce((sum, part) => sum + countTokens(part, PLAIN_TEXT), 0);
      known.set(text, tokens);
      return tokens;
    },
  };
}

/** Counts `<|endoftext|>` and the like as the text that they are. By default, the tokenizer throws an error. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Splits text inside runs of more than 1,000 letters, signs, or spaces. The tokenizer's time grows with the square of a
 * run's length, so a server could otherwise stop the command with one long word. Ordinary text is not split.
 */
export function splitLongRuns(text: string): readonly string[] {
  if (text.length <= MAX_RUN) return [text];
  const parts: string[] = [];
  let start = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    for (let at = index + MAX_RUN; at < index + run.length; at += MAX_RUN) {
      const end = isLowSurrogate(text.charCodeAt(at)) ? at + 1 : at;
      parts.push(text.slice(start, end));
      start = end;
    }
  }
  return [...parts, text.slice(start)];
}

const MAX_RUN = 1_000;
/** Texts that the encoding does not divide before it merges bytes. Digits are divided into groups of three. */
const RUN = /[\p{L}\p{M}]+|[^\s\p{L}\p{M}\p{N}]+|\s+/gu;

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
