/**
 * @fileoverview Parts that every attack gets, and the counts of the full and the short form.
 * @module tools/attack/context
 */
import type { Figures } from "../figures.js";
import type { Random } from "../random.js";

/** Counts of a run. */
export interface Scale {
  /** Maximum number of combinations per endpoint and era in the matrix of access headers. */
  readonly accessCombinations: number;
  /** Maximum number of combinations per endpoint and method in the matrix of headers and bodies. */
  readonly headerCombinations: number;
  readonly bitFlips: number;
  /** Number of foreign principals. */
  readonly strangers: number;
  /** Maximum number of resource URIs per endpoint. */
  readonly paths: number;
  readonly connections: number;
  /** Time in milliseconds for which slow connections are kept open. */
  readonly slowMs: number;
  /** Ways to split each smuggling shape into packets. */
  readonly splits: number;
}

/** Parts of a scenario. */
export interface AttackContext {
  readonly isShort: boolean;
  readonly scale: Scale;
  readonly random: Random;
  readonly figures: Figures;
  /** Prints a line. */
  readonly print: (line: string) => void;
}

/** One attack. */
export type AttackScenario = (context: AttackContext) => Promise<void>;

/** Full run. */
export const FULL: Scale = {
  accessCombinations: Infinity,
  headerCombinations: Infinity,
  bitFlips: 100_000,
  strangers: Infinity,
  paths: Infinity,
  connections: 2_000,
  slowMs: 30_000,
  splits: 8,
};

/** Form for the tests. */
export const SHORT: Scale = {
  accessCombinations: 400,
  headerCombinations: 60,
  bitFlips: 1_500,
  strangers: 2,
  paths: 250,
  connections: 150,
  slowMs: 2_000,
  splits: 2,
};

/** Returns the items in a random order, at most `limit` of them. */
export function sample<T>(items: readonly T[], limit: number, random: Random): readonly T[] {
  const shuffled = [...items];
  const count = Math.min(limit, shuffled.length);
  for (let at = 0; at < count; at++) {
    const other = random.between(at, shuffled.length - 1);
    // Safe: both indexes are in range
    [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
  }
  return shuffled.slice(0, count);
}

/** Collects descriptions of broken promises, and prints the first ones. */
export class Findings {
  readonly #print: (line: string) => void;
  #count = 0;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Number of findings. */
  get count(): number {
    return this.#count;
  }

  /** Adds a finding. */
  add(text: string): void {
    if (++this.#count <= MAX_PRINTED) this.#print(text.slice(0, 500));
  }
}

const MAX_PRINTED = 5;
