import { onTestFinished } from "vitest";

/** Store under test. Each test creates its own. */
export interface StoreHarness<Store> {
  readonly store: Store;
  /** The same store as a different process sees it. For memory stores, this is the store itself. */
  readonly peer: Store;
  /** Advances the store's time with a fake clock, or waits. */
  readonly advance: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Options that differ between engines. */
export interface ContractOptions {
  /** Number of runs for each property. Engines that use real time run fewer. */
  readonly runs?: number;
}

/** Opens a harness that is closed when the test ends. */
export async function openHarness<Store>(
  create: () => Promise<StoreHarness<Store>>,
): Promise<StoreHarness<Store>> {
  const harness = await create();
  onTestFinished(() => harness.close());
  return harness;
}

/** Lifetime and two waits, clearly within and clearly beyond it, even on a slow machine. */
export const LIFETIME = { ttl: 400, within: 200, rest: 300 };

/** Names that an engine might split, quote, or confuse. */
export const TRICKY_NAMES = [
  "a b",
  "a:b",
  "{a}:b",
  "*",
  "a\u0000b",
  "a\nb",
  "__proto__",
  "constructor",
  "päivä 日 🙂",
  "x".repeat(1024),
];

/** Texts that an engine might alter. */
export const TRICKY_TEXTS = [
  "",
  " ",
  "0",
  "null",
  "undefined",
  "\u0000",
  "a\r\nb\n",
  '{"a":[1,"é"]}',
  "日本語 🙂 \u{10ffff}",
  "\ufeffbom",
  "y".repeat(100_000),
];

/** Names that every store rejects. */
export const BAD_NAMES = ["", "x".repeat(1025)];

/** Times that every store rejects. */
export const BAD_TIMES = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY];
