/**
 * @fileoverview Bounded text for errors and log lines.
 * @module internal/text
 */

/**
 * Makes untrusted text safe for one line. Replaces characters outside printable ASCII with `?` and cuts the text to 40
 * characters.
 */
export function printable(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, "?");
  return plain.length > 40 ? `${plain.slice(0, 40)}...` : plain;
}

/** As `printable`, but cuts the text to 500 characters. For messages of other programs. */
export function printableLine(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, "?");
  return plain.length > 500 ? `${plain.slice(0, 500)}...` : plain;
}

/** Shortens a client-supplied name to 128 characters for an error message. */
export function quoted(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name;
}
