/**
 * @fileoverview Finds the occurrences of a search text.
 * @module ui/support/highlight
 */

/** Part of a text. */
export interface TextPart {
  readonly text: string;
  /** True if the part is an occurrence of the search text. */
  readonly isMatch: boolean;
}

const MAX_MATCHES = 100;

/**
 * Splits a text at the occurrences of a query, which are compared without case. At most 100 occurrences are marked.
 * Returns one part if the query is empty.
 */
export function splitMatches(text: string, query: string): readonly TextPart[] {
  const lower = text.toLowerCase();
  const wanted = query.toLowerCase();
  // Some characters change their length in lower case. The positions would be wrong then.
  if (wanted === "" || lower.length !== text.length) return [{ text, isMatch: false }];
  const parts: TextPart[] = [];
  let at = 0;
  for (let count = 0; count < MAX_MATCHES; count++) {
    const found = lower.indexOf(wanted, at);
    if (found === -1) break;
    if (found > at) parts.push({ text: text.slice(at, found), isMatch: false });
    parts.push({ text: text.slice(found, found + wanted.length), isMatch: true });
    at = found + wanted.length;
  }
  if (at < text.length || parts.length === 0) parts.push({ text: text.slice(at), isMatch: false });
  return parts;
}
