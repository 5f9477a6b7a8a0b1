/**
 * @fileoverview Escapes messages for the model, so that text from users and tools cannot look like a tool's result.
 * @module agent/conversation/escape-message
 */
import type { ContentPart, ModelMessage } from "../../models/model-port.js";
import { escapeResultTags } from "../../xml/tool-result.js";

/**
 * Escapes the tags of tool results in a message from a user or a tool. The log keeps the original text. The model's own
 * messages and the system prompt are not changed.
 */
export function escapeMessage(message: ModelMessage): ModelMessage {
  if (message.role !== "user" && message.role !== "tool") return message;
  const content = escapeResultTags(message.content);
  if (message.parts === undefined) return { ...message, content };
  return { ...message, content, parts: message.parts.map(escapePart) };
}

function escapePart(part: ContentPart): ContentPart {
  if (part.type === "text") return { ...part, text: escapeResultTags(part.text) };
  return part.name === undefined ? part : { ...part, name: escapeResultTags(part.name) };
}
