import { inspect } from "node:util";
import { ReadableStream } from "node:stream/web";
import { describe, expect, test } from "vitest";
import { fromAiSdk, type FromAiSdkOptions } from "../../src/models/ai-sdk/from-ai-sdk.js";
import { ModelError } from "../../src/models/model-port.js";
import { collect, conversation, createTestPorts, IDLE_MS } from "../support/models/model-server.js";
import {
  type FakeBehavior,
  fakeModel,
  finishPart,
  streamOf,
  textParts,
} from "../support/models/ai-sdk-fakes.js";

const SECRET_REQUEST = "canary of the request";

/** An error with the shape of the AI SDK's `APICallError`. */
function apiError(fields: { readonly statusCode?: number; readonly [name: string]: unknown }): Error {
  const { statusCode } = fields;
  const isRetryable =
    statusCode === undefined ||
    statusCode === 408 ||
    statusCode === 409 ||
    statusCode === 429 ||
    statusCode >= 500;
  return Object.assign(new Error("foreign text"), {
    name: "AI_APICallError",
    url: "https://example.com",
    requestBodyValues: { messages: [SECRET_REQUEST] },
    isRetryable,
    ...fields,
  });
}

const good = [...textParts("1", "ok"), finishPart("v3", "stop")];
const ok = { pieces: ["ok", { finish: { reason: "stop" } }], error: undefined };

async function run(behavior: FakeBehavior, options: FromAiSdkOptions = {}) {
  const model = fakeModel("v3", behavior);
  const { ports, waited, running } = createTestPorts({ idleMs: options.idleTimeoutMs });
  const port = fromAiSdk(model, { ports, idleTimeoutMs: IDLE_MS, ...options });
  const result = await collect(port(conversation(), new AbortController().signal));
  expect(running.size).toBe(0);
  expect(inspect(result.error, { depth: 10, showHidden: true })).not.toContain(SECRET_REQUEST);
  return { ...result, waited, asked: model.calls.length };
}

describe("before a response starts", () => {
  test.each([408, 409, 429, 500, 503, 529])("status %i is retried", async (statusCode) => {
    const result = await run((_options, count) => {
      if (count < 3) throw apiError({ statusCode });
      return streamOf(good);
    });
    expect(result).toMatchObject({ ...ok, asked: 3, waited: [250, 500] });
  });

  test("honors the provider's delay", async () => {
    const result = await run((_options, count) => {
      if (count < 2) throw apiError({ statusCode: 429, responseHeaders: { "Retry-After": "7" } });
      return streamOf(good);
    });
    expect(result).toMatchObject({ ...ok, waited: [7_000] });
  });

  test.each<[string, () => unknown, object]>([
    [
      "a rate limit",
      () => apiError({ statusCode: 429 }),
      {
        message: "The rate limit of the model server was reached (status 429).",
        kind: "rate-limit",
        isTransient: true,
      },
    ],
    [
      "rejected credentials",
      () => apiError({ statusCode: 401 }),
      {
        message: "The model server rejected the API key (status 401).",
        kind: "authentication",
        isTransient: false,
      },
    ],
    [
      "a conversation that is too long",
      () =>
        apiError({
          statusCode: 400,
          responseBody:
            '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
        }),
      {
        message:
          "The conversation is too long for the model (status 400). Start a new conversation, or use a model with a larger context window.",
        kind: "context-length",
        isTransient: false,
      },
    ],
    [
      "an unknown model",
      () => apiError({ statusCode: 404 }),
      {
        message:
          "The model server did not find the model or the URL (status 404). Check the ID of the model and the URL of its provider.",
      },
    ],
    [
      "a failing server",
      () => apiError({ statusCode: 502 }),
      { message: "The model server failed (status 502).", kind: "unavailable", isTransient: true },
    ],
    [
      "an unreachable server",
      () => apiError({}),
      {
        message:
          "Could not reach the model server. Check the URL of the provider, and make sure that the server is running.",
        kind: "unavailable",
        isTransient: true,
      },
    ],
    [
      "a network error",
      () => new TypeError("fetch failed"),
      { kind: "unavailable", isTransient: true, cause: { message: "TypeError: fetch failed" } },
    ],
    [
      "a connection that breaks after a good status",
      () => Object.assign(apiError({ statusCode: 200 }), { cause: new TypeError("terminated") }),
      { message: "The connection to the model server was lost.", kind: "unavailable", isTransient: true },
    ],
    [
      "a response that the provider package cannot read",
      () => apiError({ statusCode: 200 }),
      { message: "The provider of the model failed.", isTransient: false },
    ],
    [
      "a missing API key",
      () => Object.assign(new Error("x"), { name: "AI_LoadAPIKeyError" }),
      {
        message: "The API key of the model's provider is missing. Set it in the options of the provider.",
        kind: "authentication",
      },
    ],
    [
      "an unsupported file",
      () => Object.assign(new Error("x"), { name: "AI_UnsupportedFunctionalityError", functionality: "x" }),
      { message: "The provider of the model does not support a part of this request, such as a file type." },
    ],
    [
      "any other error",
      () => new RangeError("a bug"),
      {
        message: "The provider of the model failed.",
        isTransient: false,
        cause: { message: "RangeError: a bug" },
      },
    ],
  ])("%s is reported", async (_title, error, wanted) => {
    const result = await run(() => {
      throw error();
    });
    expect(result.pieces).toEqual([]);
    expect(result.error).toBeInstanceOf(ModelError);
    expect(result.error).toMatchObject(wanted);
    expect(result.asked).toBe(result.error instanceof ModelError && result.error.isTransient ? 4 : 1);
  });

  test("a result without a stream is reported", async () => {
    const model = { ...fakeModel("v3", []), doStream: () => Promise.resolve({}) };
    // Safe: the adapter must reject results of other types.
    const port = fromAiSdk(model as unknown as ReturnType<typeof fakeModel>);
    expect((await collect(port(conversation(), new AbortController().signal))).error).toEqual(
      new ModelError(
        "The provider of the model sent a response that does not follow the AI SDK's specification.",
      ),
    );
  });
});

describe("in a stream", () => {
  test.each<[string, unknown, object]>([
    [
      "an error of an overloaded provider",
      { type: "overloaded_error", message: "Overloaded" },
      {
        message: "The model server failed while sending the response.",
        kind: "unavailable",
        isTransient: true,
      },
    ],
    [
      "an error in an error",
      { type: "error", error: { type: "invalid_request_error", message: "no" } },
      { message: "The model server failed while sending the response.", isTransient: false },
    ],
    [
      "a conversation that is too long",
      { type: "error", error: { code: "context_length_exceeded", message: "…" } },
      { kind: "context-length", isTransient: false },
    ],
    ["a rate limit", { type: "rate_limit_error" }, { kind: "rate-limit", isTransient: true }],
    ["an API error", apiError({ statusCode: 500 }), { message: "The model server failed (status 500)." }],
    ["an error as text", "no", { message: "The model server failed while sending the response." }],
    ["nothing", undefined, { message: "The model server failed while sending the response." }],
  ])("%s is reported after the text", async (_title, error, wanted) => {
    const result = await run([...textParts("1", "Hel"), { type: "error", error }, finishPart("v3", "error")]);
    expect(result).toMatchObject({ pieces: ["Hel"], asked: 1 });
    expect(result.error).toBeInstanceOf(ModelError);
    expect(result.error).toMatchObject(wanted);
  });

  test("the finish reason for errors is an error", async () => {
    const { error } = await run([...textParts("1", "Hel"), finishPart("v3", "error")]);
    expect(error).toMatchObject({
      message: "The model server failed while sending the response.",
      isTransient: true,
    });
  });

  test.each<[string, FakeBehavior]>([
    ["a stream without a finish reason", textParts("1", "Hel")],
    [
      "a stream that breaks",
      () => {
        let count = 0;
        return new ReadableStream<unknown>({
          pull(controller) {
            if (count++ === 0) controller.enqueue({ type: "text-delta", id: "1", delta: "Hel" });
            else controller.error(new Error("socket hang up"));
          },
        });
      },
    ],
  ])("%s is a lost connection", async (_title, behavior) => {
    const result = await run(behavior);
    expect(result).toMatchObject({ pieces: ["Hel"], asked: 1 });
    expect(result.error).toMatchObject({
      message: "The connection to the model server was lost.",
      kind: "unavailable",
      isTransient: true,
    });
  });

  test.each<[string, unknown]>([
    ["a part that is not an object", 5],
    ["text that is not a string", { type: "text-delta", id: "1", delta: 5 }],
    ["a call without an ID", { type: "tool-call", toolName: "find", input: "{}" }],
    ["a file that is not base64", { type: "file", mediaType: "image/png", data: "<script>" }],
    ["a file without data", { type: "file", mediaType: "image/png" }],
  ])("%s is reported", async (_title, part) => {
    const { error } = await run([part, finishPart("v3", "stop")]);
    expect(error).toEqual(
      new ModelError(
        "The provider of the model sent a response that does not follow the AI SDK's specification.",
      ),
    );
  });

  test("silence ends with a timeout", async () => {
    const idleTimeoutMs = 1_500;
    const silent: FakeBehavior = () =>
      new ReadableStream<unknown>({
        start: (controller) => controller.enqueue({ type: "text-delta", id: "1", delta: "Hel" }),
      });
    const result = await run(silent, { idleTimeoutMs });
    expect(result).toMatchObject({ pieces: ["Hel"], asked: 1 });
    expect(result.error).toMatchObject({
      message: "The model server timed out (no data for 1500 ms).",
      kind: "unavailable",
      isTransient: true,
    });
  });
});
