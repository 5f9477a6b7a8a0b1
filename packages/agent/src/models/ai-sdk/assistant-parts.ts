/**
 * @fileoverview Converts an earlier response to the parts of a prompt, with the data that its provider wants back.
 * @module agent/models/ai-sdk/assistant-parts
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type AssistantItem, toCallInput } from "../history.js";
import type { NativeCall } from "../model-port.js";

/** Converts a response. Data from a different provider is ignored. */
export function toAssistantParts(item: AssistantItem, provider: string): readonly JsonObject[] {
  const { text, calls, metadata } = item;
  const recorded = metadata?.["provider"] === provider ? toRecordedParts(item) : undefined;
  if (recorded !== undefined) return recorded;
  return [...toTextPart(text), ...calls.map((call) => toCallPart(call))];
}

/** Restores the parts of a response. Returns `undefined` if the data does not fit the calls. */
function toRecordedParts({ text, calls, metadata }: AssistantItem): readonly JsonObject[] | undefined {
  const list = metadata?.["parts"];
  if (!Array.isArray(list) || !list.every(isJsonObject)) return undefined;
  const indexes = list.filter(({ type }) => type === "call").map(({ index }) => index);
  if (indexes.length !== calls.length || !calls.every((_, index) => indexes.includes(index)))
    return undefined;
  const texts = splitText(text, list);
  return list.flatMap((part, position): readonly JsonObject[] => {
    const options = isJsonObject(part["options"]) ? { providerOptions: part["options"] } : {};
    if (part["type"] === "text") return toTextPart(texts.get(position) ?? "", options);
    if (part["type"] === "reasoning") {
      return typeof part["text"] === "string" ? [{ type: "reasoning", text: part["text"], ...options }] : [];
    }
    const call = calls[Number(part["index"])];
    return call === undefined ? [] : [toCallPart(call, options)];
  });
}

/** Splits a text into the blocks that the provider sent. A text that was changed is one block. */
function splitText(text: string, parts: readonly JsonObject[]): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  let end = 0;
  for (const [position, { type, chars }] of parts.entries()) {
    if (type !== "text") continue;
    const start = end;
    end += Number(chars);
    texts.set(position, text.slice(start, end));
  }
  if (end === text.length) return texts;
  const [first] = texts.keys();
  return new Map(first === undefined ? [] : [[first, text]]);
}

/** Converts a text. Blank texts are omitted, because some providers reject them. */
function toTextPart(text: string, options: JsonObject = {}): readonly JsonObject[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...options }];
}

function toCallPart(call: NativeCall, options: JsonObject = {}): JsonObject {
  return {
    type: "tool-call",
    toolCallId: call.id,
    toolName: call.name,
    input: toCallInput(call),
    ...options,
  };
}
