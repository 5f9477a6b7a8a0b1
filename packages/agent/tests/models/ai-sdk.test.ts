import { ReadableStream } from "node:stream/web";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type AiSdkModel, type AiSdkVersion, isAiSdkModel } from "../../src/models/ai-sdk/ai-sdk-model.js";
import { fromAiSdk, type FromAiSdkOptions } from "../../src/models/ai-sdk/from-ai-sdk.js";
import { toModelPort } from "../../src/models/ai-sdk/to-model-port.js";
import {
  type ModelConversation,
  ModelError,
  type ModelPiece,
  type ModelPort,
} from "../../src/models/model-port.js";
import { collect, conversation } from "../support/models/model-server.js";
import type { SpecModel } from "../support/models/ai-sdk-spec.js";
import {
  callParts,
  fakeModel,
  filePart,
  finishPart,
  streamOf,
  textParts,
} from "../support/models/ai-sdk-fakes.js";

const VERSIONS: readonly AiSdkVersion[] = ["v2", "v3", "v4"];
const never = new AbortController().signal;
const ask = (model: AiSdkModel, input = conversation(), options: FromAiSdkOptions = {}) =>
  collect(fromAiSdk(model, options)(input, never));

describe.each(VERSIONS)("a model of version %s", (version) => {
  const read = (...parts: readonly unknown[]) => ask(fakeModel(version, parts));

  test("streams reasoning, text, calls, files, the finish reason, and usage", async () => {
    const result = await read(
      { type: "response-metadata", id: "r1", modelId: "fake-1", timestamp: new Date(0) },
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "hm" },
      { type: "reasoning-end", id: "0" },
      ...textParts("1", "Let ", "me see"),
      { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
      { type: "raw", rawValue: {} },
      ...callParts("c1", "find", '{"what":', '"cats"}'),
      ...callParts("c2", "find", "{}"),
      filePart(version, "image/png", "AAAA"),
      filePart(version, "image/gif", new Uint8Array([1, 2, 3])),
      finishPart(version, "tool-calls", { input: 10, output: 20, reasoning: 5, cached: 4 }),
    );
    expect(result).toEqual({
      pieces: [
        { think: "hm" },
        "Let ",
        "me see",
        { call: { index: 0, id: "c1", name: "find" } },
        { call: { index: 0, arguments: '{"what":' } },
        { call: { index: 0, arguments: '"cats"}' } },
        { call: { index: 1, id: "c2", name: "find" } },
        { call: { index: 1, arguments: "{}" } },
        { file: { mediaType: "image/png", data: "AAAA" } },
        { file: { mediaType: "image/gif", data: "AQID" } },
        {
          finish: {
            reason: "tool-calls",
            usage: { inputTokens: 10, outputTokens: 20, reasoningTokens: 5, cachedInputTokens: 4 },
          },
        },
      ],
      error: undefined,
    });
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "content-filter"],
    ["other", "other"],
    ["unknown", "other"],
  ] as const)('the reason "%s" becomes "%s"', async (told, reason) => {
    const finish = finishPart(version, told, { input: 1, output: 2 });
    const { pieces, error } = await read(...textParts("1", "Hi"), finish);
    const usage = { inputTokens: 1, outputTokens: 2 };
    expect([pieces, error]).toEqual([["Hi", { finish: { reason, usage } }], undefined]);
  });

  test("a response without a reason and without token counts was cut off", async () => {
    const { pieces, error } = await read(...textParts("1", "Hi"), finishPart(version, "unknown"));
    expect([pieces, error]).toEqual([
      ["Hi"],
      new ModelError("The connection to the model server was lost.", {
        kind: "unavailable",
        isTransient: true,
      }),
    ]);
  });

  test("reports calls even if the model says that it stopped, but not if it was cut off", async () => {
    const call = callParts("c1", "find", "{}");
    expect((await read(...call, finishPart(version, "stop"))).pieces.at(-1)).toEqual({
      finish: { reason: "tool-calls" },
    });
    expect((await read(...call, finishPart(version, "length"))).pieces.at(-1)).toEqual({
      finish: { reason: "length" },
    });
  });

  test.each<[string, readonly object[], string]>([
    [
      "only as a whole",
      [{ type: "tool-call", toolCallId: "c1", toolName: "find", input: '{"a":1}' }],
      '{"a":1}',
    ],
    [
      "with a start, but without deltas",
      [
        { type: "tool-input-start", id: "c1", toolName: "find" },
        { type: "tool-call", toolCallId: "c1", toolName: "find", input: '{"a":1}' },
      ],
      '{"a":1}',
    ],
    [
      "with the rest only in the complete call",
      [
        { type: "tool-input-start", id: "c1", toolName: "find" },
        { type: "tool-input-delta", id: "c1", delta: '{"a"' },
        { type: "tool-call", toolCallId: "c1", toolName: "find", input: '{"a":1}' },
      ],
      '{"a":1}',
    ],
    [
      "with a different format in the complete call",
      [
        { type: "tool-input-start", id: "c1", toolName: "find" },
        { type: "tool-input-delta", id: "c1", delta: '{"a":1}' },
        { type: "tool-call", toolCallId: "c1", toolName: "find", input: '{ "a": 1 }' },
      ],
      '{"a":1}',
    ],
    [
      "as an object instead of text",
      [{ type: "tool-call", toolCallId: "c1", toolName: "find", input: { a: 1 } }],
      '{"a":1}',
    ],
  ])("accepts a call %s", async (_title, parts, args) => {
    const { pieces, error } = await read(...parts, finishPart(version, "tool-calls"));
    const calls = pieces.flatMap((piece) =>
      typeof piece === "object" && "call" in piece ? [piece.call] : [],
    );
    expect(error).toBeUndefined();
    expect(calls[0]).toMatchObject({ index: 0, id: "c1", name: "find" });
    expect(calls.map((call) => call.arguments ?? "").join("")).toBe(args);
  });

  test("ignores calls that the provider runs itself", async () => {
    const result = await read(
      { type: "tool-input-start", id: "w1", toolName: "web_search", providerExecuted: true },
      { type: "tool-input-delta", id: "w1", delta: "{}" },
      { type: "tool-call", toolCallId: "w1", toolName: "web_search", input: "{}", providerExecuted: true },
      { type: "tool-result", toolCallId: "w1", toolName: "web_search", result: [], providerExecuted: true },
      ...textParts("1", "Found"),
      finishPart(version, "stop"),
    );
    expect(result).toEqual({ pieces: ["Found", { finish: { reason: "stop" } }], error: undefined });
  });

  test("joins a surrogate pair that is split between deltas", async () => {
    const { pieces } = await read(...textParts("1", "a\ud83d", "\ude00"), finishPart(version, "stop"));
    expect(pieces.slice(0, -1)).toEqual(["a", "😀"]);
  });

  test("sends the conversation, the tools with their original schema, and the response schema", async () => {
    const model = fakeModel(version, [...textParts("1", "ok"), finishPart(version, "stop")]);
    const parameters = {
      type: "object",
      properties: { n: { type: "integer", minimum: 1, maximum: 100 }, kind: { enum: ["a", "b"] } },
      required: ["n"],
      $comment: "kept",
    };
    const responseSchema = { type: "object", properties: { city: { type: "string" } } };
    const input: ModelConversation = {
      taskId: "t",
      messages: [
        { role: "system", content: "Be kind" },
        {
          role: "user",
          content: "What is this?",
          parts: [
            { type: "image", mediaType: "image/png", data: "AAAA" },
            { type: "file", mediaType: "application/pdf", data: "BBBB", name: "a.pdf" },
            { type: "file", mediaType: "text/plain", data: btoa("some notes"), name: "n.txt" },
          ],
        },
        { role: "assistant", content: "Hm", calls: [{ id: "c1", name: "find", arguments: '{"n":1}' }] },
        {
          role: "tool",
          toolName: "find",
          callId: "c1",
          content: "A picture",
          parts: [{ type: "image", mediaType: "image/png", data: "CCCC" }],
        },
        { role: "system", content: "A summary" },
        { role: "user", content: "Go on" },
      ],
      tools: [{ name: "find", description: "Finds", parameters }],
      responseSchema,
    };
    const { error } = await ask(model, input, { callOptions: { temperature: 0 } });
    expect(error).toBeUndefined();
    const data = (text: string) => (version === "v4" ? { type: "data", data: text } : text);
    expect(model.calls).toEqual([
      {
        prompt: [
          { role: "system", content: "Be kind" },
          {
            role: "user",
            content: [
              { type: "text", text: "What is this?" },
              { type: "file", mediaType: "image/png", data: data("AAAA") },
              { type: "file", mediaType: "application/pdf", data: data("BBBB"), filename: "a.pdf" },
              { type: "text", text: 'File "n.txt" (text/plain):\nsome notes' },
            ],
          },
          {
            role: "assistant",
            content: [
              { type: "text", text: "Hm" },
              { type: "tool-call", toolCallId: "c1", toolName: "find", input: { n: 1 } },
            ],
          },
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: "c1",
                toolName: "find",
                output: { type: "text", value: "A picture" },
              },
            ],
          },
          {
            role: "user",
            content: [
              { type: "text", text: "Files from the result of find:" },
              { type: "file", mediaType: "image/png", data: data("CCCC") },
              { type: "text", text: "A summary" },
              { type: "text", text: "Go on" },
            ],
          },
        ],
        tools: [{ type: "function", name: "find", description: "Finds", inputSchema: parameters }],
        toolChoice: { type: "auto" },
        responseFormat: { type: "json", schema: responseSchema, name: "response" },
        temperature: 0,
        abortSignal: expect.any(AbortSignal),
      },
    ]);
  });

  test("stops when the signal aborts, and tells the model", async () => {
    const controller = new AbortController();
    let noteRead: (() => void) | undefined;
    const isRead = new Promise<void>((resolve) => {
      noteRead = resolve;
    });
    let cancelled = false;
    const model = fakeModel(version, () => {
      const stream = streamOf([]);
      return Object.assign(stream, {
        getReader: () => ({
          read: () => {
            noteRead?.();
            return new Promise<never>(() => {});
          },
          cancel: () => {
            cancelled = true;
            return Promise.resolve();
          },
        }),
      });
    });
    const result = collect(fromAiSdk(model)(conversation(), controller.signal));
    await isRead;
    const reason = new Error("the user left");
    controller.abort(reason);
    expect(await result).toEqual({ pieces: [], error: reason });
    expect([model.calls[0]?.abortSignal?.aborted, cancelled]).toEqual([true, true]);
  });

  test("tells the model when the consumer leaves the loop", async () => {
    const model = fakeModel(version, [...textParts("1", "a", "b"), finishPart(version, "stop")]);
    for await (const piece of fromAiSdk(model)(conversation(), never)) {
      expect(piece).toBe("a");
      break;
    }
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
  });
});

test("models of every version have the type that the adapter accepts", () => {
  expectTypeOf<SpecModel<"v2">>().toExtend<AiSdkModel>();
  expectTypeOf<SpecModel<"v3">>().toExtend<AiSdkModel>();
  expectTypeOf<SpecModel<"v4">>().toExtend<AiSdkModel>();
});

describe("version 4", () => {
  test.each<[string, object, readonly ModelPiece[]]>([
    [
      "a file with a URL, which is not downloaded",
      {
        type: "file",
        mediaType: "image/png",
        data: { type: "url", url: new URL("https://example.com/a.png") },
      },
      ["\nhttps://example.com/a.png\n"],
    ],
    [
      "a file with a data URL",
      {
        type: "file",
        mediaType: "image/png",
        data: { type: "url", url: new URL("data:image/png;base64,AAAA") },
      },
      [{ file: { mediaType: "image/png", data: "AAAA" } }],
    ],
    ["a part of an unknown type", { type: "custom", kind: "fake.part" }, []],
    [
      "an invalid media type",
      filePart("v4", "a b\r\nc", "AAAA"),
      [{ file: { mediaType: "application/octet-stream", data: "AAAA" } }],
    ],
  ])("accepts %s", async (_title, part, pieces) => {
    const result = await ask(fakeModel("v4", [part, finishPart("v4", "stop")]));
    expect(result).toEqual({ pieces: [...pieces, { finish: { reason: "stop" } }], error: undefined });
  });
});

describe("options", () => {
  const model = fakeModel("v3", []);

  test("set the properties of the port", () => {
    expect(fromAiSdk(model).toolCalls).toBe("native");
    expect(fromAiSdk(model).contextWindow).toBeUndefined();
    const xml = fromAiSdk(model, { toolCalls: "xml", contextWindow: 1000 });
    expect([xml.toolCalls, xml.contextWindow]).toEqual(["xml", 1000]);
  });

  test("XML calls are sent as text, without tools", async () => {
    const xml = fakeModel("v3", [...textParts("1", "ok"), finishPart("v3", "stop")]);
    const messages = [
      { role: "assistant", content: "", calls: [{ id: "c1", name: "find", arguments: "{}" }] },
      { role: "tool", toolName: "find", callId: "c1", content: "3" },
    ] as const;
    const tools = [{ name: "find", description: "", parameters: {} }];
    await ask(xml, conversation(messages, tools), { toolCalls: "xml" });
    expect(xml.calls[0]).toEqual({
      prompt: [
        { role: "assistant", content: [{ type: "text", text: "<find>{}</find>" }] },
        { role: "user", content: [{ type: "text", text: '<tool_result name="find">\n3\n</tool_result>' }] },
      ],
      abortSignal: expect.any(AbortSignal),
    });
  });

  test.each<[unknown, FromAiSdkOptions, string]>([
    [
      "openai/gpt-5",
      {},
      '`model` must be a language model of the AI SDK; got "openai/gpt-5". Pass the model object of a provider package',
    ],
    [
      { ...model, specificationVersion: "v1" },
      {},
      '`model` must have the specification version "v2", "v3", or "v4"; got "v1"',
    ],
    [{ specificationVersion: "v3" }, {}, "`model` must be a language model with the method `doStream`"],
    [undefined, {}, "`model` must be a language model of the AI SDK; got undefined"],
    [
      model,
      { callOptions: { prompt: [] }, maxAttempts: 0 },
      '`maxAttempts` must be an integer from 1 to 10; got 0. `callOptions` must not contain "prompt": Tenon sets this option',
    ],
  ])("%o with %o is rejected", (value, options, problems) => {
    // Safe: the function must reject values of other types.
    expect(() => fromAiSdk(value as AiSdkModel, options)).toThrow(
      new TypeError(`Model configuration is invalid: ${problems}.`),
    );
    expect(isAiSdkModel(value)).toBe(value === model);
  });
});

describe("a value in place of a model port", () => {
  test("is returned if it is a port", () => {
    const port: ModelPort = async function* () {
      yield "Hello";
    };
    expect(toModelPort(port)).toBe(port);
  });

  test.each(VERSIONS)("is converted if it is an AI SDK model of version %s", async (version) => {
    const port = toModelPort(fakeModel(version, [...textParts("1", "Hello"), finishPart(version, "stop")]));
    expect(port.toolCalls).toBe("native");
    expect((await collect(port(conversation(), never))).pieces[0]).toBe("Hello");
  });

  test.each<[unknown, string]>([
    ["gpt-5", '`model` must be a model port or a language model of the AI SDK; got "gpt-5".'],
    [undefined, "`model` must be a model port or a language model of the AI SDK; got undefined."],
    [{}, "`model` must be a model port or a language model of the AI SDK; got an object."],
    [
      // A provider is a function that creates models.
      Object.assign(() => undefined, { specificationVersion: "v3" }),
      "`model` must be a language model with the method `doStream`.",
    ],
    [
      { ...fakeModel("v3", []), specificationVersion: "v5" },
      '`model` must have the specification version "v2", "v3", or "v4"; got "v5".',
    ],
  ])("%o is rejected", (value, message) => {
    // Safe: the function must reject values of other types.
    expect(() => toModelPort(value as ModelPort)).toThrow(new TypeError(message));
  });
});

describe("limits", () => {
  test("a response ends at the character limit, including reasoning and calls", async () => {
    const parts = [
      ...textParts("1", "12345"),
      { type: "reasoning-delta", id: "2", delta: "678" },
      ...callParts("c", "f", "1"),
      finishPart("v3", "stop"),
    ];
    const input = conversation();
    expect((await ask(fakeModel("v3", parts), input, { maxAnswerChars: 11 })).error).toBeUndefined();
    expect((await ask(fakeModel("v3", parts), input, { maxAnswerChars: 10 })).error).toEqual(
      new ModelError("The model's response is too long (limit: 10 characters). Raise `maxAnswerChars`."),
    );
  });

  test("files are limited", async () => {
    const file = filePart("v3", "image/png", "A".repeat(8_000_000));
    const { pieces, error } = await ask(fakeModel("v3", [file, file, file]));
    expect(pieces).toHaveLength(2);
    expect(error).toEqual(
      new ModelError("The files in the model's response are too large (limit: 20000000 base64 characters)."),
    );
  });

  test("parts without content are limited", async () => {
    let sent = 0;
    const model = fakeModel("v3", () => {
      const pull = (controller: { enqueue(part: unknown): void }) => {
        sent++;
        controller.enqueue({ type: "text-delta", id: "1", delta: "" });
      };
      return new ReadableStream<unknown>({ pull });
    });
    const { pieces, error } = await ask(model, conversation(), { maxAnswerChars: 10 });
    expect(pieces).toEqual([]);
    expect(error).toEqual(
      new ModelError("The model's response is too long (limit: 10 characters). Raise `maxAnswerChars`."),
    );
    expect(sent).toBeLessThan(20_000);
  });

  test("calls are limited", async () => {
    const calls = Array.from({ length: 129 }, (_, index) => callParts(`c${index}`, "f", "{}")).flat();
    const { error } = await ask(fakeModel("v3", calls));
    expect(error).toBeInstanceOf(ModelError);
  });
});
