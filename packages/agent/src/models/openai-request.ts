/**
 * @fileoverview Converts a conversation to a Chat Completions request.
 * @module agent/models/openai-request
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { type HistoryItem, toCallInput, toHistory } from "./history.js";
import type { ContentPart, ModelConversation, NativeCall } from "./model-port.js";

/**
 * Returns the request fields for a conversation: `messages`, `tools` for native calls, and `response_format` for
 * structured output.
 */
export function toRequest(conversation: ModelConversation, toolCalls: "xml" | "native"): JsonObject {
  const { messages, tools, responseSchema } = conversation;
  return {
    messages: toHistory(messages, toolCalls).flatMap(toChatMessages),
    ...(toolCalls === "xml" || tools.length === 0 ? {} : { tools: tools.map(toFunction) }),
    ...(responseSchema === undefined ? {} : { response_format: toResponseFormat(responseSchema) }),
  };
}

function toFunction({ name, description, parameters }: ModelConversation["tools"][number]): JsonObject {
  return { type: "function", function: { name, description, parameters } };
}

function toResponseFormat(schema: JsonObject): JsonObject {
  const strict = schema["type"] === "object" && isStrict(schema, MAX_SCHEMA_DEPTH);
  return { type: "json_schema", json_schema: { name: "response", schema, strict } };
}

function toChatMessages(item: HistoryItem): readonly JsonObject[] {
  if (item.role === "system") return [{ role: "system", content: item.text }];
  if (item.role === "user") return [{ role: "user", content: toContent(item.parts) }];
  if (item.role === "tool") {
    return item.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
  }
  const { text, calls } = item;
  if (calls.length === 0) return [{ role: "assistant", content: text }];
  return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls.map(toToolCall) }];
}

/** Converts parts. Text without files is sent as a string, because some servers accept nothing else. */
function toContent(parts: readonly ContentPart[]): string | readonly JsonObject[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts.map(toChatPart);
}

function toChatPart(part: ContentPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  const { type, mediaType, data, name } = part;
  const url = `data:${mediaType};base64,${data}`;
  if (type === "image") return { type: "image_url", image_url: { url } };
  const format = AUDIO_FORMATS.get(mediaType);
  if (format !== undefined) return { type: "input_audio", input_audio: { data, format } };
  const filename = name ?? (mediaType === "application/pdf" ? "file.pdf" : "file");
  return { type: "file", file: { filename, file_data: url } };
}

const AUDIO_FORMATS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
]);

/** Converts a native call. Valid arguments are sent exactly as the model wrote them, so that caches still match. */
function toToolCall(call: NativeCall): JsonObject {
  const isValid = isJsonObject(readJson(call.arguments));
  const written = isValid ? call.arguments : JSON.stringify(toCallInput(call));
  return { id: call.id, type: "function", function: { name: call.name, arguments: written } };
}

const MAX_SCHEMA_DEPTH = 32;
/** Keywords that OpenAI accepts in strict mode. */
const STRICT_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "$defs",
  "$ref",
  "$schema",
  "additionalProperties",
  "anyOf",
  "const",
  "description",
  "enum",
  "items",
  "properties",
  "required",
  "title",
  "type",
]);

/**
 * Returns true if a schema meets the requirements of strict mode: known keywords only, and objects whose properties are
 * all required, without additional ones. Servers reject other schemas in strict mode.
 */
function isStrict(schema: unknown, depth: number): boolean {
  if (!isJsonObject(schema) || depth === 0) return false;
  if (!Object.keys(schema).every((keyword) => STRICT_KEYWORDS.has(keyword))) return false;
  const { properties, required, items, anyOf, $defs, type } = schema;
  const members = isJsonObject(properties) ? properties : {};
  const isObject = type === "object" || properties !== undefined;
  if (isObject && schema["additionalProperties"] !== false) return false;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  if (!Object.keys(members).every((name) => names.includes(name))) return false;
  const inner = [
    ...Object.values(members),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(isJsonObject($defs) ? Object.values($defs) : []),
  ];
  return inner.every((one) => isStrict(one, depth - 1));
}
