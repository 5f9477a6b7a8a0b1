/**
 * @fileoverview Places of findings, such as `tools.add.inputSchema.properties.items`, and text from a server in a form
 * that is safe to show.
 * @module cli/doctor/facts/place
 */
import { oneLine } from "@tenon/internal/text";
import { findHidden } from "./hidden-characters.js";

/** Appends keys to a place. Keys that are not plain words are quoted, and array indexes are in brackets. */
export function placeOf(base: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>((place, key) => {
    if (typeof key === "number") return `${place}[${key}]`;
    return /^[\w$-]{1,128}$/.test(key) ? `${place}.${key}` : `${place}[${show(key)}]`;
  }, base);
}

/** Quotes text from a server on one line. Characters that cannot be seen are shown as code points. */
export function show(text: string, limit = 80): string {
  return JSON.stringify(oneLine(visible(text.slice(0, 4 * limit)), limit));
}

/** Replaces characters that cannot be seen by their code points, such as `<U+200B>`. */
export function visible(text: string): string {
  let shown = "";
  let end = 0;
  for (const { index, codePoint } of findHidden(text)) {
    shown += `${text.slice(end, index)}<${nameCodePoint(codePoint)}>`;
    end = index + (codePoint > 0xffff ? 2 : 1);
  }
  return shown + text.slice(end);
}

/** Formats a code point, such as `U+200B`. */
export function nameCodePoint(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Formats a number of other things, such as `1 other tool` or `3 other tools`. */
export function countOthers(count: number, noun: string): string {
  return `${count} other ${noun}${count === 1 ? "" : "s"}`;
}

/** Says that the same is true for others. Returns an empty text if there are none. */
export function sameFor(count: number, noun: string, where = ""): string {
  return count === 0 ? "" : ` The same is true for ${countOthers(count, noun)}${where}.`;
}

/** Joins at most `limit` names: `a, b, and 3 more`. */
export function listNames(names: readonly string[], limit = 5): string {
  const shown = names.slice(0, limit).map((name) => show(name, 70));
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(", ")}, and ${rest} more`;
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")}${shown.length > 1 ? "," : ""} and ${last}`;
}
