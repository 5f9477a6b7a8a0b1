/**
 * @fileoverview Sanitizes untrusted text for a model.
 * @module agent/tools/plain-text
 */
import { showValue } from "@tenon/internal/kind-of";

/** Shows a value to the model. Unlike in messages for operators, texts keep all of their letters. */
export function showArgument(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(plainText(value, MAX_SHOWN)) : showValue(value);
}

const MAX_SHOWN = 40;

/** Removes control characters (except line breaks and tabs) and truncates the text to `max` characters. */
export function plainText(text: string, max: number): string {
  const plain = text.slice(0, 2 * max).replace(/[^\P{Cc}\n\t]/gu, "");
  // Don't split a surrogate pair.
  return plain.length > max ? `${plain.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…` : plain;
}
