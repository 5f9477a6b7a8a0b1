/**
 * @fileoverview Shape of the AI SDK's language models, versions 2 to 4 of its specification. The types are structural,
 * so the packages of the AI SDK are not needed.
 * @module agent/models/ai-sdk/ai-sdk-model
 */
import { showValue } from "@tenon/internal/kind-of";

/** Version of the AI SDK's language model specification. */
export type AiSdkVersion = "v2" | "v3" | "v4";

/** Options for one call of an AI SDK model. Only the members that Tenon sets are listed. */
export interface AiSdkCallOptions {
  readonly prompt: readonly object[];
  readonly tools?: readonly object[] | undefined;
  readonly toolChoice?: object | undefined;
  readonly responseFormat?: object | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Reader of a stream. A `ReadableStreamDefaultReader` has this shape. */
export interface AiSdkReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

/** Language model of the AI SDK, such as `anthropic("claude-sonnet-4-5")`. */
export interface AiSdkModel {
  readonly specificationVersion: AiSdkVersion;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: AiSdkCallOptions): PromiseLike<{ readonly stream: { getReader(): AiSdkReader } }>;
}

/** Returns true if a value is a language model of the AI SDK with a supported version. */
export function isAiSdkModel(value: unknown): value is AiSdkModel {
  return findModelProblem(value) === undefined;
}

/** Describes the reason why a value is not a supported model, or returns `undefined`. */
export function findModelProblem(value: unknown): string | undefined {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isObject || !("specificationVersion" in value)) {
    const hint = typeof value === "string" ? ". Pass the model object of a provider package" : "";
    return `\`model\` must be a language model of the AI SDK; got ${showValue(value)}${hint}`;
  }
  const { specificationVersion: version } = value;
  if (version !== "v2" && version !== "v3" && version !== "v4") {
    return `\`model\` must have the specification version "v2", "v3", or "v4"; got ${showValue(version)}`;
  }
  const isLanguageModel = "doStream" in value && typeof value.doStream === "function";
  return isLanguageModel ? undefined : "`model` must be a language model with the method `doStream`";
}
