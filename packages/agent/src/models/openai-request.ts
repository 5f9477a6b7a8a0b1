/**
 * @fileoverview Converts a conversation to a Chat Completions request.
 * @module agent/models/openai-request
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { ModelConversation, ModelMessage, NativeCall } from "./model-port.js";

type ToolMessage = Extract<ModelMessage, { readonly role: "tool" }>;
type AssistantMessage = Extract<ModelMessage, { readonly role: "assistant" }>;

/** Message in the Chat Completions format. */
type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly JsonObject[];
    }
  | { readonly role: "tool"; readonly content: string; readonly tool_call_id: string };

/** Returns the request fields for a conversation: `messages`, and `tools` for native calls. */
export function toRequest({ messages, tools }: ModelConversation, toolCalls: "xml" | "native"): JsonObject {
  const isNative = toolCalls === "native";
  const merged = mergeUsers([...(isNative ? toNativeMessages(messages) : messages.flatMap(toTextMessages))]);
  if (!isNative || tools.length === 0) return { messages: merged };
  return {
    messages: merged,
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  };
}

/**
 * Converts a message, with tool calls and results as text. Empty assistant messages are omitted, because some servers
 * reject them.
 */
function toTextMessages(message: ModelMessage): readonly ChatMessage[] {
  if (message.role === "tool") return [toUserResult(message)];
  if (message.role !== "assistant") return [{ role: message.role, content: message.content }];
  const calls = (message.calls ?? []).map(({ name, arguments: json }) => `<${name}>${json}</${name}>`);
  const content = [message.content, ...calls].filter((text) => text !== "").join("\n");
  return content === "" ? [] : [{ role: "assistant", content }];
}

/**
 * Converts messages and keeps tool calls in the native format. Servers require every call to be followed by its result
 * and every result to belong to a call. Truncated or interrupted histories may violate these rules, so calls without a
 * result get a placeholder, and results without a call become text.
 */
function* toNativeMessages(messages: readonly ModelMessage[]): Generator<ChatMessage> {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role !== "assistant" || message.calls === undefined || message.calls.length === 0) {
      if (message !== undefined) yield* toTextMessages(message);
      continue;
    }
    const results: ToolMessage[] = [];
    for (let next = messages[index + 1]; next?.role === "tool"; next = messages[index + 1]) {
      results.push(next);
      index++;
    }
    yield* toCallMessages(message, message.calls, results);
  }
}

function* toCallMessages(
  { content }: AssistantMessage,
  calls: readonly NativeCall[],
  results: readonly ToolMessage[],
): Generator<ChatMessage> {
  yield { role: "assistant", content: content === "" ? null : content, tool_calls: calls.map(toToolCall) };
  const answered = new Set<ToolMessage>();
  for (const { id } of calls) {
    const result = results.find((one) => one.callId === id && !answered.has(one));
    if (result !== undefined) answered.add(result);
    yield { role: "tool", tool_call_id: id, content: result?.content ?? NO_RESULT };
  }
  for (const result of results) if (!answered.has(result)) yield toUserResult(result);
}

const NO_RESULT = "No result is available: the call was interrupted.";

/**
 * Converts a native call. Malformed arguments are replaced with valid JSON, because servers parse the arguments of
 * earlier calls and would reject the request.
 */
function toToolCall({ id, name, arguments: json }: NativeCall): JsonObject {
  const isObject = isJsonObject(readJson(json));
  const written = isObject ? json : JSON.stringify(json.trim() === "" ? {} : { unreadable: json });
  return { id, type: "function", function: { name, arguments: written } };
}

/**
 * Wraps a result in a user message. Escapes `tool_result` tags so that a result cannot close its tag and impersonate
 * the user.
 */
function toUserResult({ toolName, content }: ToolMessage): ChatMessage {
  const name = toolName.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const text = content.replaceAll(/<(?=\/?tool_result)/gi, "&lt;");
  return { role: "user", content: `<tool_result name="${name}">\n${text}\n</tool_result>` };
}

/** Merges consecutive user messages, because some servers require user and assistant messages to alternate. */
function mergeUsers(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === "user" && last?.role === "user") {
      merged[merged.length - 1] = { role: "user", content: `${last.content}\n\n${message.content}` };
    } else merged.push(message);
  }
  return merged;
}
