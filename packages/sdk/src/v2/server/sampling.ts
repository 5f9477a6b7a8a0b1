/**
 * @fileoverview Checks that the messages of a sampling request pair tool uses with tool results.
 * @module sdk/v2/server/sampling
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { ProtocolError, ProtocolErrorCode } from "../errors.js";

/** Asserts that tool results in the last message match the tool uses before it. @throws {ProtocolError} otherwise */
export function assertToolMessages(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0) return;
  const last = blocksOf(messages.at(-1));
  const results = last.filter(({ type }) => type === "tool_result");
  const uses = messages.length > 1 ? blocksOf(messages.at(-2)).filter(({ type }) => type === "tool_use") : [];
  if (results.length > 0 && results.length < last.length)
    refuse("The last message must contain only tool_result content if any is present");
  if (results.length > 0 && uses.length === 0)
    refuse("tool_result blocks are not matching any tool_use from the previous message");
  const used = new Set(uses.map(({ id }) => id));
  const returned = new Set(results.map(({ toolUseId }) => toolUseId));
  if (uses.length > 0 && (used.size !== returned.size || [...used].some((id) => !returned.has(id))))
    refuse("ids of tool_result blocks and tool_use blocks from previous message do not match");
}

function blocksOf(message: unknown): readonly JsonObject[] {
  const content = isJsonObject(message) ? message["content"] : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.filter(isJsonObject);
}

function refuse(message: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
