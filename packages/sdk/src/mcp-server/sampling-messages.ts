/**
 * @fileoverview Checks the tool calls and tool results in the messages of a sampling request.
 * @module sdk/mcp-server/sampling-messages
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/**
 * Describes tool results in the last message that do not match the tool calls in the message before it, with the
 * official SDK's text. Returns `undefined` if they match.
 */
export function describeSamplingMessages(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const last = blocksOf(messages.at(-1));
  const results = last.filter(({ type }) => type === "tool_result");
  const uses = blocksOf(messages.at(-2)).filter(({ type }) => type === "tool_use");
  if (results.length > 0 && results.length < last.length)
    return "The last message must contain only tool_result content if any is present";
  if (results.length > 0 && uses.length === 0)
    return "tool_result blocks are not matching any tool_use from the previous message";
  if (uses.length === 0) return undefined;
  const used = new Set(uses.map(({ id }) => id));
  const answered = new Set(results.map(({ toolUseId }) => toolUseId));
  return used.size === answered.size && [...used].every((id) => answered.has(id))
    ? undefined
    : "ids of tool_result blocks and tool_use blocks from previous message do not match";
}

function blocksOf(message: unknown): readonly JsonObject[] {
  const content = isJsonObject(message) ? message["content"] : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.filter(isJsonObject);
}
