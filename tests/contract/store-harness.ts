import { onTestFinished } from "vitest";

/** A store under a contract, made new for one test. */
export interface StoreHarness<Store> {
  readonly store: Store;
  /** The same store as another process sees it; in memory, the store itself. */
  readonly peer: Store;
  /** Lets time pass for the store: a test's clock, or a real wait. */
  readonly advance: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What differs between the engines that keep one contract. */
export interface ContractOptions {
  /** Runs of each property: fewer where time is real. */
  readonly runs?: number;
}

/** Opens a harness that is closed with the test. */
export async function openHarness<Store>(
  create: () => Promise<StoreHarness<Store>>,
): Promise<StoreHarness<Store>> {
  const harness = await create();
  onTestFinished(() => harness.close());
  return harness;
}

/** A lifetime, and two waits that are clearly within and clearly beyond it, even on a slow machine. */
export const LIFETIME = { ttl: 400, within: 200, rest: 300 };

/** Names that an engine might take apart, quote or confuse. */
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

/** Names that no store takes. */
export const BAD_NAMES = ["", "x".repeat(1025)];

/** Times that no store takes. */
export const BAD_TIMES = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY];
