import { ReadableStream } from "node:stream/web";
import { z } from "zod";
import type { AiSdkCallOptions, AiSdkVersion } from "../../../src/models/ai-sdk/ai-sdk-model.js";

/** Token counts of a fake response. */
export interface FakeUsage {
  readonly input: number;
  readonly output: number;
  readonly reasoning?: number;
  readonly cached?: number;
}

type V2Reason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other" | "unknown";

/** Creates a `finish` part in the format of a version. */
export function finishPart(version: AiSdkVersion, reason: V2Reason, usage?: FakeUsage): object {
  const { input, output, reasoning, cached } = usage ?? {};
  if (version === "v2") {
    const total = input === undefined || output === undefined ? undefined : input + output;
    return {
      type: "finish",
      finishReason: reason,
      usage: {
        inputTokens: input,
        outputTokens: output,
        totalTokens: total,
        reasoningTokens: reasoning,
        cachedInputTokens: cached,
      },
    };
  }
  return {
    type: "finish",
    // In later versions, a reason that was not transmitted is `other` without a raw value.
    finishReason:
      reason === "unknown" ? { unified: "other", raw: undefined } : { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: input, noCache: undefined, cacheRead: cached, cacheWrite: undefined },
      outputTokens: { total: output, text: undefined, reasoning },
    },
  };
}

/** Creates a `file` part in the format of a version. */
export function filePart(version: AiSdkVersion, mediaType: string, data: string | Uint8Array): object {
  return { type: "file", mediaType, data: version === "v4" ? { type: "data", data } : data };
}

/** Creates the parts of a text block. */
export function textParts(id: string, ...deltas: readonly string[]): readonly object[] {
  return [
    { type: "text-start", id },
    ...deltas.map((delta) => ({ type: "text-delta", id, delta })),
    { type: "text-end", id },
  ];
}

/** Creates the parts of a streamed tool call. */
export function callParts(id: string, toolName: string, ...deltas: readonly string[]): readonly object[] {
  return [
    { type: "tool-input-start", id, toolName },
    ...deltas.map((delta) => ({ type: "tool-input-delta", id, delta })),
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName, input: deltas.join("") },
  ];
}

/** Behavior of a fake model: the parts of its response, or a function that returns a stream or throws. */
export type FakeBehavior = readonly unknown[] | ((options: AiSdkCallOptions, count: number) => FakeStream);
type FakeStream = ReadableStream<unknown> | Promise<ReadableStream<unknown>>;

/** Creates a stream of parts. */
export function streamOf(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** Creates a fake model of a version. It checks that every call follows the specification of the version. */
export function fakeModel<V extends AiSdkVersion>(version: V, behavior: FakeBehavior) {
  const calls: AiSdkCallOptions[] = [];
  return {
    specificationVersion: version,
    provider: "fake",
    modelId: "fake-1",
    supportedUrls: {},
    calls,
    doGenerate: () => Promise.reject(new Error("Not used.")),
    async doStream(options: AiSdkCallOptions) {
      OPTIONS[version].parse(options);
      calls.push(options);
      const stream =
        typeof behavior === "function"
          ? await behavior(options, calls.length)
          : streamOf([{ type: "stream-start", warnings: [] }, ...behavior]);
      return { stream, request: { body: {} }, response: { headers: {} } };
    },
  };
}

const providerOptions = z.record(z.string(), z.record(z.string(), z.unknown())).optional();
const text = z.strictObject({ type: z.literal("text"), text: z.string(), providerOptions });
const reasoning = z.strictObject({ type: z.literal("reasoning"), text: z.string(), providerOptions });
const toolCall = z.strictObject({
  type: z.literal("tool-call"),
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  providerExecuted: z.boolean().optional(),
  providerOptions,
});
const output = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), value: z.string() }),
  z.strictObject({ type: z.literal("json"), value: z.json() }),
  z.strictObject({ type: z.literal("error-text"), value: z.string() }),
]);
const toolResult = z.strictObject({
  type: z.literal("tool-result"),
  toolCallId: z.string(),
  toolName: z.string(),
  output,
  providerOptions,
});
const plainData = z.union([z.base64(), z.instanceof(Uint8Array), z.instanceof(URL)]);
const taggedData = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("data"), data: z.union([z.base64(), z.instanceof(Uint8Array)]) }),
  z.strictObject({ type: z.literal("url"), url: z.instanceof(URL) }),
]);

function optionsOf(data: z.ZodType) {
  const file = z.strictObject({
    type: z.literal("file"),
    filename: z.string().optional(),
    data,
    mediaType: z.string(),
    providerOptions,
  });
  const message = z.discriminatedUnion("role", [
    z.strictObject({ role: z.literal("system"), content: z.string(), providerOptions }),
    z.strictObject({ role: z.literal("user"), content: z.array(z.union([text, file])).min(1) }),
    z.strictObject({
      role: z.literal("assistant"),
      content: z.array(z.union([text, file, reasoning, toolCall])).min(1),
    }),
    z.strictObject({ role: z.literal("tool"), content: z.array(toolResult).min(1) }),
  ]);
  const tool = z.strictObject({
    type: z.literal("function"),
    name: z.string(),
    description: z.string().optional(),
    inputSchema: z.record(z.string(), z.unknown()),
  });
  return z.strictObject({
    prompt: z.array(message),
    maxOutputTokens: z.number().optional(),
    temperature: z.number().optional(),
    responseFormat: z
      .strictObject({
        type: z.literal("json"),
        schema: z.record(z.string(), z.unknown()).optional(),
        name: z.string().optional(),
        description: z.string().optional(),
      })
      .optional(),
    tools: z.array(tool).min(1).optional(),
    toolChoice: z.strictObject({ type: z.literal("auto") }).optional(),
    abortSignal: z.instanceof(AbortSignal).optional(),
    providerOptions,
  });
}

/** Call options that the versions of the specification accept, limited to the members that Tenon may send. */
const OPTIONS: Readonly<Record<AiSdkVersion, z.ZodType>> = {
  v2: optionsOf(plainData),
  v3: optionsOf(plainData),
  v4: optionsOf(taggedData),
};
