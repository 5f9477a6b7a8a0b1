/**
 * @fileoverview Reads model options from environment variables that the caller passes in. Error messages never
 * contain their values.
 * @module agent/models/openai-env
 */
import { API_KEY_RULE, BASE_URL_RULE, isApiKey, isBaseUrl, type OpenAiOptions } from "./openai-options.js";

/** Environment variables, such as `process.env`. */
export type ModelEnv = Readonly<Record<string, string | undefined>>;

/**
 * Reads model options from `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL`, and `OPENAI_TOOL_CALLS`. The API key
 * is optional if a base URL is set.
 *
 * @throws if any variable is missing or invalid; the message lists every problem
 *
 * @example createOpenAiModel({ ...openAiOptionsFromEnv(process.env), temperature: 0 })
 */
export function openAiOptionsFromEnv(env: ModelEnv): OpenAiOptions {
  const model = read(env, "OPENAI_MODEL");
  const apiKey = read(env, "OPENAI_API_KEY");
  const baseUrl = read(env, "OPENAI_BASE_URL");
  const toolCalls = read(env, "OPENAI_TOOL_CALLS") ?? "native";
  const problems: string[] = [];
  if (model === undefined) problems.push("`OPENAI_MODEL` is required");
  if (apiKey === undefined) {
    if (baseUrl === undefined) problems.push("`OPENAI_API_KEY` is required unless `OPENAI_BASE_URL` is set");
  } else if (!isApiKey(apiKey)) problems.push(`\`OPENAI_API_KEY\` ${API_KEY_RULE}`);
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) problems.push(`\`OPENAI_BASE_URL\` ${BASE_URL_RULE}`);
  if (!isToolCalls(toolCalls)) problems.push('`OPENAI_TOOL_CALLS` must be "xml" or "native"');
  if (problems.length > 0 || model === undefined || !isToolCalls(toolCalls)) {
    throw new Error(`Model configuration is invalid: ${problems.join("; ")}.`);
  }
  return {
    model,
    toolCalls,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** Reads and trims a variable. An empty variable counts as missing. */
function read(env: ModelEnv, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

function isToolCalls(text: string): text is "xml" | "native" {
  return text === "xml" || text === "native";
}
