/**
 * @fileoverview Limits of recorded calls, and the functions that apply them to texts.
 * @module cli/page/record/limits
 */
import { Buffer } from "node:buffer";
import { oneLine } from "@tenon/internal/text";

/** Limits of the record. The oldest calls are dropped beyond them. */
export const RECORD_LIMITS = {
  /** Maximum number of calls. */
  calls: 2_000,
  /** Maximum size of all texts, in bytes. */
  bytes: 64 * 1024 * 1024,
} as const;

/** Maximum length of a recorded message in characters. Longer ones are cut. */
export const MAX_WIRE_TEXT = 256 * 1024;

/** Maximum number of messages of one call. */
export const MAX_WIRE_ENTRIES = 1_000;

/** Size in bytes from which a call's further messages replace its last one. */
export const MAX_CALL_BYTES = 16 * 1024 * 1024;

/** Maximum length of the parameters of a call in characters. Longer ones are not kept. */
export const MAX_PARAMS_TEXT = 1024 * 1024;

/** Maximum length of the result of a call in characters, such as an image. Longer ones are not kept. */
export const MAX_RESULT_TEXT = 8 * 1024 * 1024;

/** Returns the size of a text in bytes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Shortens a text that a client or a server has chosen, for a list. */
export function toLabel(text: string, limit: number): string {
  return oneLine(text.slice(0, 4 * limit), limit);
}
