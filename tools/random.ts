/**
 * @fileoverview Random numbers that a seed determines.
 * @module tools/random
 */

/** Source of random numbers. */
export interface Random {
  /** Returns an integer from `least` to `most`. */
  between(least: number, most: number): number;
  /** Returns one of the items. @throws if there is none */
  pick<T>(items: readonly T[]): T;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
}

/** Creates a source. Equal seeds result in equal numbers. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error("Nothing to pick from.");
      return item;
    },
    chance: (probability) => next() < probability,
  };
}
