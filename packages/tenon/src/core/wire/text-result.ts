/**
 * @fileoverview Tool results that consist of one text, the most common kind. A text cannot change, so the result is
 * created only when it is used: as JSON for a transport, or as an object for a caller in the same process.
 * @module tenon/core/wire/text-result
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ResultEncoder } from "../../protocol/index.js";

/** Maximum length of a text that is serialized on demand. The JSON of such a text always fits into a string. */
export const MAX_TEXT_LENGTH = 1_048_576;

/** Creates the result of a tool that returned a text, as a new object. It equals the parsed JSON of the encoder. */
export function toTextResult(text: string, encoder: ResultEncoder): JsonObject {
  const content = [{ type: "text", text }];
  const shared = sharedMembers(encoder);
  if (shared === undefined) return { content };
  const result = copyData(shared) as Record<string, unknown>;
  result["content"] = content;
  return result;
}

/** Members other than `content` that all text results of an encoder have. */
const samples = /* @__PURE__ */ new WeakMap<ResultEncoder, { readonly shared: JsonObject | undefined }>();

function sharedMembers(encoder: ResultEncoder): JsonObject | undefined {
  const known = samples.get(encoder);
  if (known !== undefined) return known.shared;
  // Safe: an encoder writes an object.
  const { content: _, ...shared } = JSON.parse(encoder.toolResult("", false)) as JsonObject;
  const sample = { shared: Object.keys(shared).length === 0 ? undefined : shared };
  samples.set(encoder, sample);
  return sample.shared;
}

/** Copies data that was parsed from text. */
function copyData(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyData);
  const copy: Record<string, unknown> = {};
  for (const key in value) copy[key] = copyData((value as JsonObject)[key]);
  return copy;
}
