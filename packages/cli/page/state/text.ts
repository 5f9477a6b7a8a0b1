/**
 * @fileoverview Texts of servers and clients. They can contain anything, so they are made safe for one line.
 * @module cli/page-app/state/text
 */
import type { JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";

const MAX_LABEL = 200;

/** Returns an untrusted text for a label: one line without control characters, and never empty. */
export function toLabel(text: string, limit = MAX_LABEL): string {
  const label = oneLine(text.slice(0, 4 * limit), limit);
  return label === "" ? "(no name)" : label;
}

/** Returns a member of an object if it is a text. */
export function readText(value: JsonObject, key: string): string | undefined {
  const member = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof member === "string" ? member : undefined;
}

/** Characters that are invisible or change the direction of text, so that a reader sees another text than a model. */
const HIDDEN =
  /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|[^\P{Cc}\t\n\r]/u;

/** Returns true if a text contains characters that people do not see, and models do. */
export function hasHiddenText(text: string): boolean {
  return HIDDEN.test(text);
}

/** Prepares a text for a search without case. Only the start of long texts is searched. */
export function toSearchText(...parts: readonly (string | undefined)[]): string {
  return parts
    .map((part) => (part ?? "").slice(0, MAX_SEARCHED))
    .join("\n")
    .toLowerCase();
}

const MAX_SEARCHED = 4_000;

/** Returns true if a prepared text contains all words of a query. */
export function matchesQuery(searchText: string, query: string): boolean {
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searchText.includes(word));
}

/** Creates a function that remembers the text to search of each item. */
export function rememberSearchText<T extends object>(toText: (item: T) => string): (item: T) => string {
  const known = new WeakMap<T, string>();
  return (item) => {
    const text = known.get(item) ?? toText(item);
    known.set(item, text);
    return text;
  };
}
