/**
 * @fileoverview Reads the content of a tool's result, and compares it with the structured content.
 * @module cli/doctor/rules/results/content
 */
import { canonicalJson, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";

/** Returns the texts in a result's content blocks. */
export function textsOf(result: JsonObject): readonly string[] {
  const { content } = result;
  const blocks = Array.isArray(content) ? (content as unknown[]).filter(isJsonObject) : [];
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
}

/** Returns true if the texts contain the same data as the structured content. */
export function isEqualContent(structured: unknown, texts: readonly string[]): boolean {
  const expected = canonicalJson(structured);
  if (texts.some((text) => isJsonOf(text, expected))) return true;
  // Servers wrap values that are not objects in `{ "result": … }`, and send the value itself as text.
  if (!isJsonObject(structured) || Object.keys(structured).join() !== "result") return false;
  const { result: value } = structured;
  const isValue = (text: string, one: unknown) => text === one || isJsonOf(text, canonicalJson(one));
  if (texts.some((text) => isValue(text, value))) return true;
  if (!Array.isArray(value)) return false;
  return texts.length === value.length && texts.every((text, index) => isValue(text, value[index]));
}

function isJsonOf(text: string, expected: string): boolean {
  const parsed = readJson(text);
  return parsed !== undefined && canonicalJson(parsed) === expected;
}
