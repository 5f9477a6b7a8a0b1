import { describe, expect, test } from "vitest";
import {
  ask,
  createTestPorts,
  event,
  modelOn,
  startModelServer,
  stream,
} from "../support/models/model-server.js";

async function fail(status: number, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const server = await startModelServer((response) => void response.writeHead(status).end(text));
  const { ports } = createTestPorts();
  return (await ask(modelOn(server.baseUrl, { ports, maxAttempts: 1 }))).error;
}

const failed = (message: string, rest: object = {}) => ({ error: { message, ...rest } });

describe("a conversation that is too long", () => {
  test.each<[string, number, unknown]>([
    [
      "OpenAI",
      400,
      failed(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 10020 tokens.",
        { type: "invalid_request_error", param: "messages", code: "context_length_exceeded" },
      ),
    ],
    [
      "OpenAI, newer",
      400,
      failed("Input tokens exceed the configured limit of 272000 tokens.", { code: null }),
    ],
    [
      "OpenAI Responses",
      400,
      failed("Your input exceeds the context window of this model. Please adjust your input and try again."),
    ],
    [
      "vLLM",
      400,
      {
        object: "error",
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        type: "BadRequestError",
        param: null,
        code: 400,
      },
    ],
    [
      "vLLM, older",
      400,
      { message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096." },
    ],
    [
      "llama.cpp",
      400,
      failed("the request exceeds the available context size (4096 tokens), try increasing it", {
        code: 400,
        type: "exceed_context_size_error",
        n_ctx: 4096,
      }),
    ],
    [
      "LM Studio",
      400,
      { error: "The number of tokens to keep from the initial prompt is greater than the context length." },
    ],
    ["Ollama", 400, failed("prompt too long; exceeded max context length by 120 tokens")],
    [
      "Groq",
      413,
      failed("Please reduce the length of the messages or completion.", { type: "invalid_request_error" }),
    ],
    [
      "Mistral",
      400,
      {
        object: "error",
        message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        type: "invalid_request_prompt",
        code: "3051",
      },
    ],
    [
      "Anthropic",
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 210000 tokens > 200000 maximum",
        },
      },
    ],
    [
      "Gemini",
      400,
      [
        failed("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", {
          code: 400,
        }),
      ],
    ],
    [
      "xAI",
      400,
      { code: "x", error: "This model's maximum prompt length is 131072 but the request contains 537812" },
    ],
    [
      "a gateway that repeats the provider's body",
      400,
      failed("Provider returned error", {
        code: 400,
        metadata: { raw: '{"error":{"message":"…","code":"context_length_exceeded"}}', provider_name: "x" },
      }),
    ],
    [
      "GitHub Models",
      413,
      failed("Request body too large. Max size: 8000 tokens.", { code: "tokens_limit_reached" }),
    ],
    ["Moonshot", 400, failed("Invalid request: Your request exceeded model token limit: 8192")],
    ["DashScope", 400, failed("Range of input length should be [1, 129024]", { code: "InvalidParameter" })],
    ["TGI", 422, { error: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193." }],
    [
      "SGLang",
      400,
      failed("The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    ],
    ["Bedrock", 400, { message: "Input is too long for requested model." }],
    ["text that is not JSON", 400, "error: context length exceeded"],
    ["a server that reports it as its own failure", 500, failed("context size exceeded")],
  ])("is recognized: %s", async (_title, status, body) => {
    expect(await fail(status, body)).toMatchObject({
      name: "ModelError",
      message: `The conversation is too long for the model (status ${status}). Start a new conversation, or use a model with a larger context window.`,
      kind: "context-length",
      isTransient: false,
    });
  });

  test("is recognized in a stream", async () => {
    const server = await startModelServer(stream(event(failed("…", { code: "context_length_exceeded" }))));
    expect((await ask(modelOn(server.baseUrl))).error).toMatchObject({
      message:
        "The conversation is too long for the model. Start a new conversation, or use a model with a larger context window.",
      kind: "context-length",
    });
  });

  test.each<[string, number, unknown, string | undefined]>([
    [
      "a limit of tokens per minute",
      429,
      failed("Too many tokens per minute", { code: "rate_limit_exceeded" }),
      "rate-limit",
    ],
    ["a rejected key", 401, failed("context window"), "authentication"],
    [
      "a body that repeats the user's text",
      400,
      {
        detail: [{ type: "missing", loc: ["body"], msg: "Field required", input: "maximum context length" }],
      },
      undefined,
    ],
    ["another rejection", 400, failed("temperature must be at most 2"), undefined],
    [
      "deeply nested JSON",
      400,
      `${"[".repeat(1_000)}"maximum context length"${"]".repeat(1_000)}`,
      undefined,
    ],
  ])("is not confused with %s", async (_title, status, body, kind) => {
    expect(await fail(status, body)).toMatchObject({ name: "ModelError", kind });
  });
});

describe("other failures", () => {
  test.each<[string, number, unknown, object]>([
    [
      "an exhausted quota",
      429,
      failed("…", { code: "insufficient_quota" }),
      {
        message:
          "The quota for this API key is exhausted (status 429). Check the plan and billing of the account.",
        kind: "rate-limit",
        isTransient: false,
      },
    ],
    [
      "missing credits",
      402,
      failed("Insufficient credits"),
      {
        message:
          "The quota for this API key is exhausted (status 402). Check the plan and billing of the account.",
        kind: "rate-limit",
      },
    ],
    [
      "a content policy",
      400,
      failed("The response was filtered due to the prompt triggering content management policy", {
        code: "content_filter",
      }),
      {
        message:
          "A content filter of the model server blocked the request (status 400). Rephrase the request.",
        kind: "refused",
        isTransient: false,
      },
    ],
    [
      "moderation with the status for credentials",
      403,
      failed("Your input was flagged for moderation"),
      { kind: "refused" },
    ],
    [
      "a model without native calls",
      400,
      failed("registry.example/llama2 does not support tools"),
      {
        message: 'The model does not support native tool calls (status 400). Set `toolCalls` to "xml".',
        kind: undefined,
      },
    ],
    ["a failing server", 500, failed("oops"), { kind: "unavailable", isTransient: true }],
    ["a busy server", 503, "", { message: "The model server is busy (status 503).", kind: "unavailable" }],
  ])("%s", async (_title, status, body, wanted) => {
    expect(await fail(status, body)).toMatchObject(wanted);
  });
});
