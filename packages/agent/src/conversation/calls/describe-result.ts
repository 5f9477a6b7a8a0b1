/**
 * @fileoverview Converts the outcome of a tool call to data for clients and a text for the model. Large texts are stored
 * in a file that the model reads in pages.
 * @module agent/conversation/calls/describe-result
 */
import { exceedsDepth } from "@tenon/internal/json";
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { StoredResult } from "../../storage/task-entry.js";
import type { ToolRun } from "../../tool-service.js";

/** Stores a large text, and returns the reference to it. */
export type StoreResult = (text: string) => Promise<StoredResult>;

/**
 * Converts an outcome to data for clients (`result`) and text for the model. Of a text that is longer than `maxResult` characters, the model receives the first part.
 */
export async function describeResult(
  { message, toolResult }: ToolRun,
  { maxResult, storeResult }: { readonly maxResult: number; readonly storeResult: StoreResult },
) {
  const json = toJson(toolResult);
  const isMore = json !== undefined && toolResult !== null && toolResult !== message;
  const more = typeof toolResult === "string" ? toolResult : json;
  const text = isMore ? `${message}\n${more}` : message;
  const isTooLarge = json !== undefined && (json.length > MAX_SHOWN || exceedsDepth(json, MAX_DEPTH));
  const result = isTooLarge
    ? `[result omitted: ${json.length} characters]`
    : // Copies the result, because the tool may modify the original later.
      json === undefined
      ? undefined
      : (JSON.parse(json) as unknown);
  if (text.length <= maxResult) return { result, text };
  const start = cutText(text, maxResult);
  try {
    const storedResult = await storeResult(text);
    return { result, text: `${start}\n${describeRest(start, storedResult)}`, storedResult };
  } catch {
    // The tool has already run, so the model receives at least the first part.
    return { result, text: `${start}\n[${text.length - start.length} characters omitted]` };
  }
}

/** Shortens a text for clients. */
export function shorten(text: string): string {
  if (text.length <= MAX_TOLD) return text;
  return `${cutText(text, MAX_TOLD)}\n[${text.length - MAX_TOLD} characters omitted]`;
}

/** Serializes a value. Returns `undefined` if the value cannot be represented in JSON. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function describeRest(start: string, { resultId, bytes }: StoredResult): string {
  const offset = encodeUtf8(start).length;
  return `[This is the start of the result: ${offset} of ${bytes} bytes. To read more, call readResult with resultId "${resultId}" and offset ${offset}.]`;
}

/** Returns the start of a text. Does not split a surrogate pair. */
function cutText(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

const MAX_TOLD = 100_000;
const MAX_SHOWN = 262_144;
const MAX_DEPTH = 32;
