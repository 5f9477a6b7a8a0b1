/**
 * @fileoverview Model port for OpenAI-compatible servers. A request is retried only if it fails before the response
 * starts.
 * @module agent/models/openai-model
 */
import type { ModelConversation, ModelPort } from "./model-port.js";
import { attempt } from "./openai-attempt.js";
import { type OpenAiOptions, resolveOpenAiOptions } from "./openai-options.js";
import { toRequest } from "./openai-request.js";
import { UsageOption } from "./openai-usage.js";
import { withRetries } from "./retry.js";
import { toStoppable } from "./waiting.js";

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
  const { toolCalls, contextWindow } = settings;
  const usage = new UsageOption("stream_options" in settings.body);
  const answer = (conversation: ModelConversation, signal: AbortSignal) => {
    const fields = { ...settings.body, ...toRequest(conversation, toolCalls), stream: true };
    const send = (body: string) => attempt(settings, body, signal);
    return withRetries(() => usage.send(fields, send), settings, signal);
  };
  const model = (conversation: ModelConversation, signal: AbortSignal) =>
    toStoppable(signal, (inner) => answer(conversation, inner));
  return Object.assign(model, { toolCalls, modelName: options.model, provider: "openai", contextWindow });
}
