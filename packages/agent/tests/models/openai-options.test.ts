import { describe, expect, test } from "vitest";
import { createOpenAiModel } from "../../src/models/openai-model.js";
import { type OpenAiOptions, openAiOptionsFromEnv } from "../../src/models/openai-options.js";

const ADDRESS = "must be an http or https URL without credentials, query, or fragment";
const KEY = "must be 1 to 4096 characters long (printable ASCII without spaces)";
const MODEL = "OPENAI_MODEL is required. Set it to a non-empty string";
const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

describe("options", () => {
  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{ model: "" }, '`model` must be a non-empty string; got ""'],
    [{ model: 5 }, "`model` must be a non-empty string; got 5"],
    [{ apiKey: "" }, `\`apiKey\` ${KEY}; got an empty string`],
    [{ apiKey: "canary key" }, `\`apiKey\` ${KEY}; got a string`],
    [{ apiKey: "canary\n" }, `\`apiKey\` ${KEY}; got a string`],
    [{ apiKey: "canaré" }, `\`apiKey\` ${KEY}; got a string`],
    [{ baseUrl: "canary" }, `\`baseUrl\` ${ADDRESS}; got a string`],
    [{ baseUrl: "ftp://canary" }, `\`baseUrl\` ${ADDRESS}; got a string`],
    [{ baseUrl: "https://canary:canary@host/v1" }, `\`baseUrl\` ${ADDRESS}; got a string`],
    [{ baseUrl: "https://host/v1?canary" }, `\`baseUrl\` ${ADDRESS}; got a string`],
    [{ baseUrl: "https://host/v1#canary" }, `\`baseUrl\` ${ADDRESS}; got a string`],
    [{ baseUrl: " https://host/v1" }, `\`baseUrl\` ${ADDRESS}; got a string`],
    [{ toolCalls: "json" }, '`toolCalls` must be "xml" or "native"; got a string'],
    [{ baseURL: "https://host/v1" }, "unknown option `baseURL`. Did you mean `baseUrl`?"],
    [{ temperature: 3 }, "`temperature` must be a number from 0 to 2; got 3"],
    [{ temperature: "0" }, '`temperature` must be a number from 0 to 2; got "0"'],
    [{ maxTokens: 0 }, "`maxTokens` must be a positive integer; got 0"],
    [{ contextWindow: -1 }, "`contextWindow` must be a positive integer; got -1"],
    [{ maxAttempts: 11 }, "`maxAttempts` must be an integer from 1 to 10; got 11"],
    [
      { idleTimeoutMs: 2 ** 31 },
      "`idleTimeoutMs` must be an integer from 1 to 2147483647 (milliseconds); got 2147483648",
    ],
    [{ maxAnswerChars: 1.5 }, "`maxAnswerChars` must be an integer from 1 to 100000000; got 1.5"],
    [{ headers: [] }, "`headers` must be an object; got an array"],
    [
      { headers: { "a b": "canary" } },
      "`headers` contains an invalid name (entry 1): use letters, digits, and hyphens",
    ],
    [
      { headers: { "Content-Type": "canary" } },
      '`headers` must not contain "Content-Type": Tenon sets this header',
    ],
    [
      { headers: { Authorization: "canary" } },
      '`headers` must not contain "Authorization": Tenon sets this header',
    ],
    [
      { headers: { "x-key": "canary\r\nx: y" } },
      'the value of "x-key" in `headers` must be at most 4096 characters long (printable ASCII)',
    ],
    [{ body: [] }, "`body` must be a JSON object; got an array"],
    [
      { body: { messages: [], stream: false } },
      '`body` must not contain "messages": Tenon sets this field. `body` must not contain "stream": Tenon sets this field',
    ],
    [{ body: cyclic }, "`body` must contain only JSON values without circular references"],
    [{ body: { call: () => {} } }, "`body` must contain only JSON values without circular references"],
    [
      { model: "", maxAttempts: 0 },
      '`model` must be a non-empty string; got "". `maxAttempts` must be an integer from 1 to 10; got 0',
    ],
  ])("%o are rejected, and the error does not contain secrets", (wrong, problems) => {
    const options = { model: "tiny", apiKey: "sk-1", ...wrong } as OpenAiOptions;
    expect(() => createOpenAiModel(options)).toThrow(
      new TypeError(`Model configuration is invalid: ${problems}${problems.endsWith("?") ? "" : "."}`),
    );
  });

  test.each<Partial<OpenAiOptions>>([
    {},
    { baseUrl: "http://127.0.0.1:11434/v1/" },
    { baseUrl: "https://host" },
    { headers: { authorization: "Basic abc" } },
    { headers: { "api-key": "abc" }, apiKey: "sk-1" },
    { temperature: 0, maxTokens: 1, maxAttempts: 1, idleTimeoutMs: 1, maxAnswerChars: 1 },
  ])("%o are accepted", (options) => {
    expect(createOpenAiModel({ model: "tiny", ...options })).toBeTypeOf("function");
  });
});

test("the context window is a property of the model", () => {
  expect(createOpenAiModel({ model: "tiny", contextWindow: 128_000 }).contextWindow).toBe(128_000);
  expect(createOpenAiModel({ model: "tiny" }).contextWindow).toBeUndefined();
});

describe("the environment", () => {
  const all = {
    OPENAI_API_KEY: "sk-1",
    OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    OPENAI_MODEL: "tiny",
    OPENAI_TOOL_CALLS: "xml",
  };

  test.each<[string, Record<string, string | undefined>, OpenAiOptions]>([
    ["all", all, { apiKey: "sk-1", baseUrl: "http://127.0.0.1:1/v1", model: "tiny", toolCalls: "xml" }],
    [
      "model and key",
      { OPENAI_MODEL: "tiny", OPENAI_API_KEY: " sk-1 " },
      { apiKey: "sk-1", model: "tiny", toolCalls: "native" },
    ],
    [
      "model and URL, with other variables empty",
      { ...all, OPENAI_API_KEY: "", OPENAI_TOOL_CALLS: " " },
      { baseUrl: "http://127.0.0.1:1/v1", model: "tiny", toolCalls: "native" },
    ],
  ])("reads the options: %s", (_title, env, options) => {
    expect(openAiOptionsFromEnv(env)).toEqual(options);
    expect(createOpenAiModel(openAiOptionsFromEnv(env))).toBeTypeOf("function");
  });

  test.each<[Record<string, string>, string]>([
    [{}, `${MODEL}. OPENAI_API_KEY is required unless OPENAI_BASE_URL is set`],
    [{ OPENAI_BASE_URL: "http://127.0.0.1:1" }, MODEL],
    [
      { OPENAI_API_KEY: "canary 1", OPENAI_BASE_URL: "canary", OPENAI_TOOL_CALLS: "canary" },
      `${MODEL}. OPENAI_API_KEY ${KEY}; got a string. OPENAI_BASE_URL ${ADDRESS}; got a string. OPENAI_TOOL_CALLS must be "xml" or "native"; got a string`,
    ],
  ])("%o is rejected, and the error lists every invalid variable", (env, problems) => {
    expect(() => openAiOptionsFromEnv(env)).toThrow(
      new TypeError(`Model configuration is invalid: ${problems}.`),
    );
  });
});
