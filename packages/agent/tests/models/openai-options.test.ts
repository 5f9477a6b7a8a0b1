import { describe, expect, test } from "vitest";
import { openAiOptionsFromEnv } from "../../src/models/openai-env.js";
import { createOpenAiModel } from "../../src/models/openai-model.js";
import type { OpenAiOptions } from "../../src/models/openai-options.js";

const ADDRESS = "must be an http or https address without credentials, query and fragment";
const KEY = "must be printable ASCII without spaces, at most 4096 characters";
const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

describe("options", () => {
  test.each<[Partial<Record<keyof OpenAiOptions, unknown>>, string]>([
    [{ model: "" }, "model must be a name"],
    [{ model: 5 }, "model must be a name"],
    [{ apiKey: "" }, `apiKey ${KEY}`],
    [{ apiKey: "canary key" }, `apiKey ${KEY}`],
    [{ apiKey: "canary\n" }, `apiKey ${KEY}`],
    [{ apiKey: "canaré" }, `apiKey ${KEY}`],
    [{ baseUrl: "canary" }, `baseUrl ${ADDRESS}`],
    [{ baseUrl: "ftp://canary" }, `baseUrl ${ADDRESS}`],
    [{ baseUrl: "https://canary:canary@host/v1" }, `baseUrl ${ADDRESS}`],
    [{ baseUrl: "https://host/v1?canary" }, `baseUrl ${ADDRESS}`],
    [{ baseUrl: "https://host/v1#canary" }, `baseUrl ${ADDRESS}`],
    [{ baseUrl: " https://host/v1" }, `baseUrl ${ADDRESS}`],
    [{ toolCalls: "json" }, 'toolCalls must be "xml" or "native"'],
    [{ temperature: 3 }, "temperature must be from 0 to 2"],
    [{ temperature: "0" }, "temperature must be from 0 to 2"],
    [{ maxTokens: 0 }, "maxTokens must be a whole number from 1 to 9007199254740991"],
    [{ maxAttempts: 11 }, "maxAttempts must be a whole number from 1 to 10"],
    [{ idleTimeoutMs: 2 ** 31 }, "idleTimeoutMs must be a whole number from 1 to 2147483647"],
    [{ maxAnswerChars: 1.5 }, "maxAnswerChars must be a whole number from 1 to 100000000"],
    [{ headers: [] }, "headers must be an object of texts"],
    [{ headers: { "a b": "canary" } }, "headers must have names of letters, digits and hyphens"],
    [{ headers: { "Content-Type": "canary" } }, "headers must not have Content-Type"],
    [{ headers: { Authorization: "canary" } }, "headers must not have Authorization"],
    [
      { headers: { "x-key": "canary\r\nx: y" } },
      "headers must have printable ASCII as x-key, at most 4096 characters",
    ],
    [{ body: [] }, "body must be a JSON object"],
    [{ body: { messages: [], stream: false } }, "body must not have messages; body must not have stream"],
    [{ body: cyclic }, "body must be JSON"],
    [{ body: { call: () => {} } }, "body must be JSON"],
    [{ model: "", maxAttempts: 0 }, "model must be a name; maxAttempts must be a whole number from 1 to 10"],
  ])("%o are refused at once, without their values", (wrong, problems) => {
    const options = { model: "tiny", apiKey: "sk-1", ...wrong } as OpenAiOptions;
    expect(() => createOpenAiModel(options)).toThrow(new Error(`The model is not configured: ${problems}`));
  });

  test.each<Partial<OpenAiOptions>>([
    {},
    { baseUrl: "http://127.0.0.1:11434/v1/" },
    { baseUrl: "https://host" },
    { headers: { authorization: "Basic abc" } },
    { headers: { "api-key": "abc" }, apiKey: "sk-1" },
    { temperature: 0, maxTokens: 1, maxAttempts: 1, idleTimeoutMs: 1, maxAnswerChars: 1 },
  ])("%o are fine", (options) => {
    expect(createOpenAiModel({ model: "tiny", ...options })).toBeTypeOf("function");
  });
});

describe("the environment", () => {
  const all = {
    OPENAI_API_KEY: "sk-1",
    OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    OPENAI_MODEL: "tiny",
    OPENAI_TOOL_CALLS: "native",
  };

  test.each<[string, Record<string, string | undefined>, OpenAiOptions]>([
    ["all", all, { apiKey: "sk-1", baseUrl: "http://127.0.0.1:1/v1", model: "tiny", toolCalls: "native" }],
    [
      "model and key",
      { OPENAI_MODEL: "tiny", OPENAI_API_KEY: " sk-1 " },
      { apiKey: "sk-1", model: "tiny", toolCalls: "xml" },
    ],
    [
      "model and address, with empty ones beside",
      { ...all, OPENAI_API_KEY: "", OPENAI_TOOL_CALLS: " " },
      { baseUrl: "http://127.0.0.1:1/v1", model: "tiny", toolCalls: "xml" },
    ],
  ])("gives options: %s", (_title, env, options) => {
    expect(openAiOptionsFromEnv(env)).toEqual(options);
    expect(createOpenAiModel(openAiOptionsFromEnv(env))).toBeTypeOf("function");
  });

  test.each<[Record<string, string>, string]>([
    [{}, "OPENAI_MODEL is required; OPENAI_API_KEY is required where OPENAI_BASE_URL is not given"],
    [{ OPENAI_BASE_URL: "http://127.0.0.1:1" }, "OPENAI_MODEL is required"],
    [
      { OPENAI_API_KEY: "canary 1", OPENAI_BASE_URL: "canary", OPENAI_TOOL_CALLS: "canary" },
      `OPENAI_MODEL is required; OPENAI_API_KEY ${KEY}; OPENAI_BASE_URL ${ADDRESS}; OPENAI_TOOL_CALLS must be xml or native`,
    ],
  ])("%o is refused, and every variable named", (env, problems) => {
    expect(() => openAiOptionsFromEnv(env)).toThrow(new Error(`The model is not configured: ${problems}`));
  });
});
