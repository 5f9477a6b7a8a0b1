/**
 * @fileoverview Parses the `finish` part of AI SDK models. Version 2 has a text and flat token counts. Later versions
 * have objects.
 * @module agent/models/ai-sdk/ai-sdk-finish
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type FinishReason, type ModelFinish, type ModelUsage, toCount } from "../model-port.js";
import { toUsage } from "../openai-usage.js";

/** Converts a `finish` part. */
export function toFinish(part: JsonObject, hasCalls: boolean): ModelFinish {
  const { finishReason } = part;
  const told = isJsonObject(finishReason) ? finishReason["unified"] : finishReason;
  const reason = REASONS.find((one) => one === told) ?? "other";
  // Some providers report `stop` after tool calls.
  const isCall = hasCalls && (reason === "stop" || reason === "other");
  return { reason: isCall ? "tool-calls" : reason, usage: readUsage(part["usage"]) };
}

/**
 * Returns true if the model sent neither a finish reason nor token counts. Some providers end a response like this after
 * the connection was lost.
 */
export function isCutOff({ finishReason, usage }: JsonObject): boolean {
  const isUnknown = isJsonObject(finishReason)
    ? finishReason["unified"] === "other" && (finishReason["raw"] ?? undefined) === undefined
    : finishReason === "unknown";
  return isUnknown && readUsage(usage) === undefined;
}

const REASONS: readonly FinishReason[] = ["stop", "length", "tool-calls", "content-filter", "error", "other"];

function readUsage(usage: unknown): ModelUsage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { inputTokens: input, outputTokens: output } = usage;
  return toUsage({
    inputTokens: toCount(isJsonObject(input) ? input["total"] : input),
    outputTokens: toCount(isJsonObject(output) ? output["total"] : output),
    reasoningTokens: toCount(isJsonObject(output) ? output["reasoning"] : usage["reasoningTokens"]),
    cachedInputTokens: toCount(isJsonObject(input) ? input["cacheRead"] : usage["cachedInputTokens"]),
  });
}
