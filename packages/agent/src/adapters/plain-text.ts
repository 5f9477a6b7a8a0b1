/**
 * @fileoverview Texts of other parties on their way to a model: bounded, and without what only terminals understand.
 * @module agent/adapters/plain-text
 */

/** The text without control characters, cut where it gets too long. */
export function plainText(text: string, max: number): string {
  const plain = text.slice(0, 2 * max).replace(/[^\P{Cc}\n\t]/gu, "");
  // A cut must not leave half a character behind.
  return plain.length > max ? `${plain.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…` : plain;
}
