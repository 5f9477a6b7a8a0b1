/**
 * @fileoverview Reads model options from environment variables that the caller passes in. Error messages never
 * contain their values.
 * @module agent/models/openai-env
 */
import { type Env, listEnvProblems, optionsFromEnv } from "@tenon/internal/options/define-options";
import { throwIfAny } from "./model-options.js";
import { OPENAI_OPTIONS, type OpenAiOptions } from "./openai-options.js";

/** Environment variables, such as `process.env`. */
export type ModelEnv = Env;

/**
 * Reads model options from `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL`, and `OPENAI_TOOL_CALLS`. The API key
 * is optional if a base URL is set.
 *
 * @throws if any variable is missing or invalid; the message lists every problem
 *
 * @example createOpenAiModel({ ...openAiOptionsFromEnv(process.env), temperature: 0 })
 */
export function openAiOptionsFromEnv(env: ModelEnv): OpenAiOptions {
  const options = optionsFromEnv(OPENAI_OPTIONS, env);
  const { model = "", apiKey, baseUrl } = options;
  const needsKey = apiKey === undefined && baseUrl === undefined;
  throwIfAny([
    ...listEnvProblems(OPENAI_OPTIONS, env),
    ...(needsKey ? ["OPENAI_API_KEY is required unless OPENAI_BASE_URL is set."] : []),
  ]);
  return { toolCalls: "native", ...options, model };
}
