/**
 * @fileoverview Token counts of OpenAI-compatible servers: requests them, also from servers that do not know the option
 * for it, and parses them.
 * @module agent/models/openai-usage
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { AttemptFailed } from "./model-failures.js";
import { type ModelPiece, type ModelUsage, toCount } from "./model-port.js";

/**
 * Adds `stream_options` to requests, which asks for token counts. Some servers reject unknown fields. So until the
 * server has accepted the field once, a rejected request is sent again without it.
 */
export class UsageOption {
  #state: "untried" | "accepted" | "rejected";

  /** @param isOff true if requests must not be changed */
  constructor(isOff: boolean) {
    this.#state = isOff ? "rejected" : "untried";
  }

  /** Sends a request body, if necessary a second time without the field. */
  async *send(
    fields: JsonObject,
    send: (body: string) => AsyncIterable<ModelPiece>,
  ): AsyncGenerator<ModelPiece> {
    if (this.#state === "rejected") return yield* send(JSON.stringify(fields));
    try {
      for await (const piece of send(
        JSON.stringify({ ...fields, stream_options: { include_usage: true } }),
      )) {
        this.#state = "accepted";
        yield piece;
      }
      return;
    } catch (error) {
      if (!this.#mayBeTheReason(error)) throw error;
    }
    for await (const piece of send(JSON.stringify(fields))) {
      this.#state = "rejected";
      yield piece;
    }
  }

  #mayBeTheReason(error: unknown): boolean {
    if (this.#state === "accepted" || !(error instanceof AttemptFailed)) return false;
    return (error.status === 400 || error.status === 422) && error.error.kind === undefined;
  }
}

/** Parses the token counts of a response or a chunk. Returns `undefined` if there are none. */
export function readUsage(chunk: JsonObject): ModelUsage | undefined {
  const groq = chunk["x_groq"];
  const usage = chunk["usage"] ?? (isJsonObject(groq) ? groq["usage"] : undefined);
  if (!isJsonObject(usage)) return undefined;
  const input = memberOf(usage, "prompt_tokens_details", "cached_tokens");
  const counts = {
    inputTokens: toCount(usage["prompt_tokens"]),
    outputTokens: toCount(usage["completion_tokens"]),
    reasoningTokens: toCount(memberOf(usage, "completion_tokens_details", "reasoning_tokens")),
    cachedInputTokens: toCount(input ?? usage["prompt_cache_hit_tokens"]),
  };
  return toUsage(counts);
}

/** Removes unknown counts. Returns `undefined` if no count is known. */
export function toUsage(counts: ModelUsage): ModelUsage | undefined {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function memberOf(usage: JsonObject, group: string, name: string): unknown {
  const members = usage[group];
  return isJsonObject(members) ? members[name] : undefined;
}
