/**
 * @fileoverview Names, texts, and times that stores often handle incorrectly, and reproducible random values.
 * @module tenon/stores/contract/samples
 */

/** Names that a backend might split, quote, normalize, or confuse. */
export const TRICKY_NAMES: readonly string[] = [
  "a",
  "A",
  "a ",
  "a b",
  ":",
  "a:b",
  "a::b",
  "{",
  "}",
  "{}",
  "{a}:b",
  "a}{b",
  "*",
  "?[a-z]*",
  "a\u0000b",
  "a\nb",
  "\r\n",
  "../a",
  "a'b\"c\\",
  "%00%d",
  "__proto__",
  "constructor",
  "p\u00e4iv\u00e4",
  "pa\u0308iva\u0308",
  "日 🙂",
  "x".repeat(1024),
  "🙂".repeat(512),
];

/** Texts that a backend might change. */
export const TRICKY_TEXTS: readonly string[] = [
  "",
  " ",
  "0",
  "-1",
  "1e3",
  "null",
  "undefined",
  "false",
  "\u0000",
  "a\r\nb\n",
  '{"a":[1,"é"]}',
  "日本語 🙂 \u{10ffff}",
  "\ufeffbom",
  "a\u0308\u2028\u2029",
  "y".repeat(100_000),
];

/** Text of about one megabyte in UTF-8, with characters of different lengths. */
export const LARGE_TEXT: string = "aé日🙂".repeat(100_000);

/** Names that every store rejects. */
export const BAD_NAMES: readonly string[] = ["", "x".repeat(1025)];

/** Durations and counts that every store rejects. */
export const BAD_NUMBERS: readonly number[] = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY];

/** Returns a short form of a text for the title of a case. */
export function toLabel(text: string): string {
  return JSON.stringify(text.length > 30 ? `${text.slice(0, 30)}…` : text);
}

/** Returns an array with the results of `create` for 0, 1, and so on. */
export function times<T>(length: number, create: (index: number) => T): readonly T[] {
  return Array.from({ length }, (_, index) => create(index));
}

/** Source of random values that are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed + 1) * 0x9e3779b1;
  }

  /** Returns an integer between two values, including both. */
  integer(least: number, most: number): number {
    // Xorshift with 32 bits. It only has to differ between runs.
    let state = this.#state | 0 || 1;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return least + ((state >>> 0) % (most - least + 1));
  }

  boolean(): boolean {
    return this.integer(0, 1) === 1;
  }

  /** Returns one element of a list that is not empty. */
  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.integer(0, list.length - 1)] ?? list[0];
  }

  /** Returns a text of up to `most` characters. */
  text(most: number): string {
    return times(this.integer(0, most), () => this.pick(CHARACTERS)).join("");
  }
}

const CHARACTERS = ["a", "b", "0", " ", "\n", "\u0000", '"', "\\", "é", "日", "🙂"] as const;
