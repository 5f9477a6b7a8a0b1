/**
 * @fileoverview Bounded text for errors and log lines.
 * @module internal/text
 */

/** Makes untrusted text safe for one line: printable ASCII, at most 40 characters. */
export function printable(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, "?");
  return plain.length > 40 ? `${plain.slice(0, 40)}...` : plain;
}

/** Cuts a name from a client to 128 characters for an error message. */
export function quoted(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name;
}
