/**
 * @fileoverview Converts a conversation to the call options of an AI SDK model.
 * @module agent/models/ai-sdk/ai-sdk-prompt
 */
import type { JsonObject } from "@tenon/internal/json";
import { type HistoryItem, mergeUsers, toHistory } from "../history.js";
import type { ContentPart, ModelConversation } from "../model-port.js";
import type { AiSdkCallOptions, AiSdkVersion } from "./ai-sdk-model.js";
import { toAssistantParts } from "./assistant-parts.js";

/** Settings for the conversion of a conversation. */
export interface PromptRules {
  readonly version: AiSdkVersion;
  /** Name of the provider, such as `anthropic.messages`. */
  readonly provider: string;
  readonly toolCalls: "xml" | "native";
}

interface PromptMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: readonly JsonObject[];
}

/** Returns the call options for a conversation. */
export function toCallOptions(conversation: ModelConversation, rules: PromptRules): AiSdkCallOptions {
  const { messages, tools, responseSchema } = conversation;
  const history = toHistory(messages, rules.toolCalls);
  const isNative = rules.toolCalls === "native" && tools.length > 0;
  return {
    prompt: toPrompt(history, (item) => toMessage(item, rules)),
    tools: isNative ? tools.map(toFunctionTool) : undefined,
    toolChoice: isNative ? { type: "auto" } : undefined,
    responseFormat: responseSchema && { type: "json", schema: responseSchema, name: "response" },
  };
}

function toFunctionTool({ name, description, parameters }: ModelConversation["tools"][number]): JsonObject {
  return { type: "function", name, description, inputSchema: parameters };
}

/**
 * Converts the messages. Some providers accept system messages only at the beginning, so later ones are sent as user
 * messages.
 */
function toPrompt(
  history: readonly HistoryItem[],
  convert: (item: Exclude<HistoryItem, { readonly role: "system" }>) => PromptMessage,
): readonly object[] {
  const firstOther = history.findIndex(({ role }) => role !== "system");
  const start = firstOther === -1 ? history.length : firstOther;
  const prompt = history
    .slice(start)
    .map((item): Exclude<HistoryItem, { readonly role: "system" }> =>
      item.role === "system" ? { role: "user", parts: [{ type: "text", text: item.text }] } : item,
    );
  const system = history.slice(0, start).flatMap((item) => (item.role === "system" ? [item.text] : []));
  return [...system.map((content) => ({ role: "system", content })), ...mergeUsers(prompt).map(convert)];
}

function toMessage(
  item: Exclude<HistoryItem, { readonly role: "system" }>,
  { version, provider }: PromptRules,
): PromptMessage {
  if (item.role === "user") return { role: "user", content: item.parts.map((part) => toPart(part, version)) };
  if (item.role === "tool") {
    const content = item.results.map(({ id, name, text }) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: name,
      output: { type: "text", value: text },
    }));
    return { role: "tool", content };
  }
  return { role: "assistant", content: toAssistantParts(item, provider) };
}

/** Converts a part. Images are files with an image's media type. Version 4 marks inline data. */
function toPart(part: ContentPart, version: AiSdkVersion): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mediaType, data, name } = part;
  const content = version === "v4" ? { type: "data", data } : data;
  return { type: "file", mediaType, data: content, filename: name };
}
