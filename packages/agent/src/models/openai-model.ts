/**
 * @fileoverview Model port for OpenAI-compatible servers. A request is retried only if it fails before the response
 * starts.
 * @module agent/models/openai-model
 */
import type { ModelConversation, ModelPiece, ModelPort } from "./model-port.js";
import { attempt } from "./openai-attempt.js";
import { AttemptFailed, toBackOff } from "./openai-failures.js";
import { type OpenAiOptions, type OpenAiSettings, resolveOpenAiOptions } from "./openai-options.js";
import { toRequest } from "./openai-request.js";
import { pause, toStoppable } from "./waiting.js";

/**
 * Creates a model for any server with OpenAI's chat completions API. The request is sent when the first piece is
 * requested. The connection is closed as soon as the iteration ends or the signal aborts. An abort throws the signal's
 * reason. Every other failure throws a `ModelError`.
 *
 * @throws if any option is invalid; the message lists every problem
 *
 * @example createOpenAiModel({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3" })
 */
export function createOpenAiModel(options: OpenAiOptions): ModelPort {
  const settings = resolveOpenAiOptions(options);
  const model = (conversation: ModelConversation, signal: AbortSignal) =>
    toStoppable(signal, (inner) => answer(settings, conversation, inner));
  return Object.assign(model, { toolCalls: settings.toolCalls });
}

async function* answer(
  settings: OpenAiSettings,
  conversation: ModelConversation,
  signal: AbortSignal,
): AsyncGenerator<ModelPiece> {
  const { maxAttempts, ports } = settings;
  const fields = toRequest(conversation, settings.toolCalls);
  const body = JSON.stringify({ ...settings.body, ...fields, stream: true });
  for (let count = 1; ; count++) {
    let hasBegun = false;
    try {
      for await (const piece of attempt(settings, body, signal)) {
        hasBegun = true;
        yield piece;
      }
      return;
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      const { retryAfterMs } = error;
      if (hasBegun || count === maxAttempts || retryAfterMs === undefined) throw error.error;
      await pause(Math.max(retryAfterMs, toBackOff(count, toFraction(ports.randomBytes(4)))), signal, ports);
    }
  }
}

/** Converts bytes to a number from 0 (inclusive) to 1 (exclusive). */
function toFraction(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number / 256 + byte / 256, 0);
}
