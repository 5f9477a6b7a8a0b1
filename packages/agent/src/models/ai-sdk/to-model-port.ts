/**
 * @fileoverview Accepts both kinds of models: Tenon's model ports and language models of the AI SDK.
 * @module agent/models/ai-sdk/to-model-port
 */
import { showValue } from "@tenon/internal/kind-of";
import type { ModelPort } from "../model-port.js";
import { type AiSdkModel, findModelProblem, isAiSdkModel } from "./ai-sdk-model.js";
import { fromAiSdk } from "./from-ai-sdk.js";

/**
 * Returns a model port unchanged, and converts a language model of the AI SDK with the defaults of `fromAiSdk`.
 *
 * @throws {TypeError} if the value is neither
 */
export function toModelPort(model: ModelPort | AiSdkModel): ModelPort {
  if (isAiSdkModel(model)) return fromAiSdk(model);
  // A provider, such as `openai`, is also a function. It has a version, but is not a model.
  const hasVersion = "specificationVersion" in Object(model);
  if (typeof model === "function" && !hasVersion) return model;
  const problem = hasVersion ? findModelProblem(model) : undefined;
  throw new TypeError(
    `${problem ?? `\`model\` must be a model port or a language model of the AI SDK; got ${showValue(model)}`}.`,
  );
}
