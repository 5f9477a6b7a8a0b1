/**
 * @fileoverview Converts texts of inputs to values.
 * @module ui/form/model/text-values
 */
import { exceedsDepth } from "@tenon/internal/json";

/** Value of a text, or the reason why it has none. */
export type ParsedText =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** Parses the text of a number field. */
export function parseNumber(text: string, isInteger: boolean): ParsedText {
  const trimmed = text.trim();
  const value = Number(trimmed);
  const noun = isInteger ? "an integer" : "a number";
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed) || !Number.isFinite(value)) {
    return { ok: false, message: `The value must be ${noun}; got "${trimmed.slice(0, 40)}".` };
  }
  if (isInteger && !Number.isInteger(value)) {
    return { ok: false, message: `The value must be an integer; got ${trimmed}.` };
  }
  if (isInteger && !Number.isSafeInteger(value)) {
    return {
      ok: false,
      message: `The integer is too large for exact JSON (limit: ${Number.MAX_SAFE_INTEGER}).`,
    };
  }
  return { ok: true, value };
}

/** Characters of a JSON text. */
export const MAX_JSON_TEXT = 10_000_000;
/** Levels of a JSON text. Comparing deeper values would exhaust the stack. */
export const MAX_JSON_DEPTH = 500;

/** Parses JSON text. The message of an error has the line and the column, if the browser says where it is. */
export function parseJsonText(text: string): ParsedText {
  if (text.trim() === "") return { ok: false, message: "Enter JSON, such as {} or null." };
  if (text.length > MAX_JSON_TEXT) {
    return { ok: false, message: `The text is too long (limit: ${MAX_JSON_TEXT} characters).` };
  }
  if (exceedsDepth(text, MAX_JSON_DEPTH)) {
    return { ok: false, message: `The text nests too deeply (limit: ${MAX_JSON_DEPTH} levels).` };
  }
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, message: describeSyntaxError(text, error) };
  }
}

function describeSyntaxError(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const position = positionOf(text, message);
  // Browsers append an excerpt and the position in different ways.
  const [reason = ""] = message
    .replace(/^JSON\.parse: /, "")
    .split(/ in JSON| at position| at line|, \.{3}|, "/);
  const where = position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
  return `${reason === "" ? "The text is not JSON" : reason}${where}.`;
}

function positionOf(
  text: string,
  message: string,
): { readonly line: number; readonly column: number } | undefined {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) };
  const [, offset] = /at position (\d+)/.exec(message) ?? [];
  const isEnd = /end of (?:JSON input|data)/i.test(message);
  if (offset === undefined && !isEnd) return undefined;
  const before = text.slice(0, isEnd ? text.length : Number(offset)).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
