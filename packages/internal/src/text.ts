/**
 * @fileoverview Safe, bounded text for errors, log lines, and terminals, and trimming in linear time.
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

/**
 * Removes control characters and marks of the text direction from untrusted text, except line breaks and tabs. Stops a
 * server from controlling the terminal that shows its text, and from showing it in another order.
 */
export function stripControls(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/gu, "");
}

/**
 * Escapes control characters and marks of the text direction in JSON text, which `JSON.stringify` leaves as they are. The
 * value stays the same.
 */
export function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Removes control characters and line breaks, and shortens text that is longer than `limit`. */
export function oneLine(text: string, limit = 200): string {
  const line = stripControls(text).replace(/\s+/g, " ").trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Shortens a client-supplied name to 128 characters for an error message. */
export function quoted(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name;
}

/**
 * Removes all characters of a set from the end of a text. A regular expression such as `/ +$/` would take quadratic time
 * for a text with many of these characters before its end.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
