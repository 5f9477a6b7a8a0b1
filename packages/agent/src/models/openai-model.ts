/**
 * @fileoverview Models behind OpenAI-compatible servers. An attempt that fails before the answer begins is made again
 * after a while; an answer that breaks off is not put together from two.
 * @module agent/models/openai-model
 */
import type { ModelConversation, ModelPiece, ModelPort } from "./model-port.js";
import { attempt } from "./openai-attempt.js";
import { AttemptFailed, toBackOff } from "./openai-failures.js";
import { type OpenAiOptions, type OpenAiSettings, resolveOpenAiOptions } from "./openai-options.js";
import { toRequest } from "./openai-request.js";
import { pause, toStoppable } from "./waiting.js";

/**
 * Makes a model of any server that speaks OpenAI's chat completions. Nothing is sent until the first piece is asked
 * for; when the iteration ends or the signal aborts, the connection is closed at once. On abort it throws the signal's
 * reason, and for everything else a `ModelError`.
 *
 * @example createOpenAiModel({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3" })
 * @throws naming every option that is wrong
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

/** A number from 0 to 1, without 1. */
function toFraction(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number / 256 + byte / 256, 0);
}
