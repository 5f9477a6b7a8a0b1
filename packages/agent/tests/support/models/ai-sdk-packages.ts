import type { AiSdkModel } from "../../../src/models/ai-sdk/ai-sdk-model.js";

/** Formats that the models of the provider packages speak. */
export const FORMATS = ["chat", "responses", "messages"] as const;

/** OpenAI's Chat Completions, OpenAI's Responses, or Anthropic's Messages. */
export type Format = (typeof FORMATS)[number];

/** Key in every request of a model. It must not be in an error. */
export const API_KEY = "sk-test-0123456789abcdef";

/** Provider packages of the AI SDK in one version. */
export interface Packages {
  readonly specificationVersion: string;
  /** First major version of Node.js that the packages support. */
  readonly minNode: number;
  /** Creates a model that sends its requests to a local server. */
  createModel(this: void, format: Format, baseUrl: string): Promise<AiSdkModel>;
}

/** Installed versions of the provider packages. */
export const PACKAGES: readonly Packages[] = [
  {
    specificationVersion: "v3",
    minNode: 20,
    async createModel(format, baseURL) {
      const options = { baseURL, apiKey: API_KEY };
      if (format === "messages") {
        const { createAnthropic } = await import("@ai-sdk/anthropic");
        return createAnthropic(options)("claude-sonnet-4-5");
      }
      const { createOpenAI } = await import("@ai-sdk/openai");
      return format === "chat" ? createOpenAI(options).chat("gpt-4o") : createOpenAI(options)("gpt-5");
    },
  },
  {
    specificationVersion: "v4",
    minNode: 22,
    async createModel(format, baseURL) {
      const options = { baseURL, apiKey: API_KEY };
      if (format === "messages") {
        const { createAnthropic } = await import("ai-sdk-anthropic-4");
        return createAnthropic(options)("claude-sonnet-4-5");
      }
      const { createOpenAI } = await import("ai-sdk-openai-4");
      return format === "chat" ? createOpenAI(options).chat("gpt-4o") : createOpenAI(options)("gpt-5");
    },
  },
];
