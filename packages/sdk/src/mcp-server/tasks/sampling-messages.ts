/**
 * @fileoverview Checks the tool calls and tool results in the messages of a sampling request.
 * @module sdk/mcp-server/tasks/sampling-messages
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/**
 * Asserts that the tool results in the last message match the tool calls in the message before it.
 *
 * @throws with the official SDK's text if they do not match
 */
export function assertSamplingMessages(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0) return;
  const last = blocksOf(messages.at(-1));
  const results = last.filter(({ type }) => type === "tool_result");
  const uses = blocksOf(messages.at(-2)).filter(({ type }) => type === "tool_use");
  if (results.length > 0 && results.length < last.length) {
    throw new Error("The last message must contain only tool_result content if any is present");
  }
  if (results.length > 0 && uses.length === 0) {
    throw new Error("tool_result blocks are not matching any tool_use from the previous message");
  }
  if (uses.length === 0) return;
  const used = new Set(uses.map(({ id }) => id));
  const answered = new Set(results.map(({ toolUseId }) => toolUseId));
  if (used.size !== answered.size || ![...used].every((id) => answered.has(id))) {
    throw new Error("ids of tool_result blocks and tool_use blocks from previous message do not match");
  }
}

function blocksOf(message: unknown): readonly JsonObject[] {
  const content = isJsonObject(message) ? message["content"] : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.filter(isJsonObject);
}
