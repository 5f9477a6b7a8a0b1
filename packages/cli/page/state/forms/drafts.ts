/**
 * @fileoverview Arguments that the user has entered for each tool. The last ones are remembered.
 * @module cli/page-app/state/forms/drafts
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Setting } from "../memory.js";

/** Values by key, the last changed one at the end. */
export type Drafts = readonly (readonly [key: string, value: unknown])[];

const MAX_DRAFTS = 40;
/** Characters of a draft. Longer ones, such as those with files, are not remembered. */
const MAX_LENGTH = 50_000;
/** Characters of all drafts. */
const MAX_TOTAL = 500_000;

/** Drafts that the page remembers. */
export const DRAFTS: Setting<Drafts> = {
  key: "drafts",
  initial: [],
  parse: (value) =>
    Array.isArray(value)
      ? value
          .filter(
            (one: unknown): one is [string, unknown] => Array.isArray(one) && typeof one[0] === "string",
          )
          .slice(-MAX_DRAFTS)
      : undefined,
};

/** Returns the draft of a key, or `undefined`. */
export function findDraft(drafts: Drafts, key: string): unknown {
  return drafts.find(([one]) => one === key)?.[1];
}

/** Replaces a draft. `undefined` removes it. The oldest drafts are dropped beyond the limits. */
export function putDraft(drafts: Drafts, key: string, value: unknown): Drafts {
  const others = drafts.filter(([one]) => one !== key);
  const length = value === undefined ? 0 : lengthOf(value);
  if (value === undefined || length > MAX_LENGTH) return others;
  let total = length;
  const kept = others
    .slice(-MAX_DRAFTS + 1)
    .toReversed()
    .filter(([, one]) => (total += lengthOf(one)) <= MAX_TOTAL)
    .toReversed();
  return [...kept, [key, value]];
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** Returns a record of texts from the storage. */
export function toTexts(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
